import { readEnvironment } from '@payments/runtime/environment';
import { createLogger } from '@payments/runtime/logging';
import { main } from '@payments/runtime/main';
import { closeOnSignals } from '@payments/runtime/shutdown';
import { startDispatcher } from './dispatcher.ts';
import { dispatcherSettings } from './settings.ts';

const closingMs = 15_000;

main(async () => {
  const settings = readEnvironment(dispatcherSettings, process.env);
  const log = createLogger('dispatcher', settings.LOG_LEVEL);
  const dispatcher = await startDispatcher(settings, log);
  closeOnSignals(log, settings.WEBHOOK_TIMEOUT_MS + closingMs, dispatcher.close);
});
