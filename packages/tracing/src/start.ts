import { isTracingWanted, type TracingSettings } from './settings.ts';
import { traceWith } from './tracing.ts';

export type Tracing = {
  /** Sends the remaining spans, and turns tracing off. */
  stop(): Promise<void>;
};

/**
 * Turns tracing on if the settings request it. Otherwise OpenTelemetry is not loaded.
 * @param service the default of `OTEL_SERVICE_NAME`
 * @param onProblem called when traces can't be sent
 */
export async function startTracing(
  service: string,
  settings: TracingSettings,
  onProblem: (message: string) => void,
): Promise<Tracing> {
  if (!isTracingWanted(settings)) return { stop: async () => {} };
  const { createOpenTelemetry } = await import('./opentelemetry.ts');
  const { tracer, stop } = createOpenTelemetry(service, settings, onProblem);
  traceWith(tracer);
  return {
    stop: async () => {
      traceWith(undefined);
      await stop();
    },
  };
}
