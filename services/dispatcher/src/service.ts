import { readEnvironment } from '@payments/runtime/environment';
import { createLogger } from '@payments/runtime/logging';
import { main } from '@payments/runtime/main';
import { runService } from '@payments/runtime/service';
import { startTracing } from '@payments/tracing/start';
import { startDispatcher } from './dispatcher.ts';
import { dispatcherSettings } from './settings.ts';

const closingMs = 15_000;

main('dispatcher', async () => {
  const settings = readEnvironment(dispatcherSettings, process.env);
  const log = createLogger('dispatcher', settings.LOG_LEVEL);
  const stopWithinMs = settings.WEBHOOK_TIMEOUT_MS + closingMs;
  const tracing = await startTracing('payments-dispatcher', settings, (problem) =>
    log.warn({ problem }, 'traces could not be sent'),
  );
  await runService(log, stopWithinMs, (options) => startDispatcher(settings, log, options), tracing.stop);
});
