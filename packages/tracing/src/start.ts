import { isTracingWanted, type TracingSettings } from './settings.ts';
import { traceWith } from './tracing.ts';

export type Tracing = {
  /** Sends what is left, and turns tracing off. */
  stop(): Promise<void>;
};

/**
 * Turns traces on if the settings want them. Without them nothing of OpenTelemetry is even loaded.
 * @param service the name that `OTEL_SERVICE_NAME` replaces
 * @param onProblem hears what keeps traces from being sent
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
