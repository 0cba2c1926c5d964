import { isTracingWanted, type TracingSettings } from './settings.ts';

export type Tracing = {
  /** Sends the remaining spans. */
  stop(): Promise<void>;
};

/**
 * Turns tracing on if the settings request it. Otherwise OpenTelemetry's SDK is not loaded.
 * @param service the default of `OTEL_SERVICE_NAME`
 * @param onProblem called when traces can't be sent
 */
export async function startTracing(
  service: string,
  settings: TracingSettings,
  onProblem: (message: string) => void,
): Promise<Tracing> {
  if (!isTracingWanted(settings)) return { stop: async () => {} };
  const { startOpenTelemetry } = await import('./opentelemetry.ts');
  return startOpenTelemetry(service, settings, onProblem);
}
