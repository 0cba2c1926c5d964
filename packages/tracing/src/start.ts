import { isTracingWanted, type TracingSettings } from './settings.ts';

/**
 * Turns tracing on if the settings request it. Otherwise OpenTelemetry's SDK is not loaded.
 * @param service the default of `OTEL_SERVICE_NAME`
 * @param onProblem called when traces can't be sent
 * @returns a function that sends the remaining spans
 */
export async function startTracing(
  service: string,
  settings: TracingSettings,
  onProblem: (message: string) => void,
): Promise<() => Promise<void>> {
  if (!isTracingWanted(settings)) return async () => {};
  const { startOpenTelemetry } = await import('./opentelemetry.ts');
  return startOpenTelemetry(service, settings, onProblem);
}
