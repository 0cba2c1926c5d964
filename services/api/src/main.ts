import { readEnvironment } from '@payments/runtime/environment';
import { createLogger } from '@payments/runtime/logging';
import { main } from '@payments/runtime/main';
import { closeOnSignals } from '@payments/runtime/shutdown';
import { startApi } from './api.ts';
import { apiSettings } from './settings.ts';

const graceMs = 30_000;

main(async () => {
  const settings = readEnvironment(apiSettings, process.env);
  const log = createLogger('api', settings.LOG_LEVEL);
  const api = await startApi(settings, log);
  closeOnSignals(log, graceMs + settings.SHUTDOWN_DELAY_MS, api.close);
});
