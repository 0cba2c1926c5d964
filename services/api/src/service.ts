import { readEnvironment } from '@payments/runtime/environment';
import { createLogger } from '@payments/runtime/logging';
import { main } from '@payments/runtime/main';
import { runService } from '@payments/runtime/service';
import { startTracing } from '@payments/tracing/start';
import { startApi } from './api.ts';
import { apiSettings } from './settings.ts';

const closingMs = 30_000;

main('api', async () => {
  const settings = readEnvironment(apiSettings, process.env);
  const log = createLogger('api', settings.LOG_LEVEL);
  const stopWithinMs = settings.SHUTDOWN_DELAY_MS + closingMs;
  const tracing = await startTracing('payments-api', settings, (problem) =>
    log.warn({ problem }, 'traces could not be sent'),
  );
  await runService(log, stopWithinMs, (options) => startApi(settings, log, options), tracing.stop);
});
