/** The `OTEL_*` variables that decide over traces; the SDK reads the others itself. */
export type TracingSettings = {
  OTEL_SDK_DISABLED: string;
  OTEL_TRACES_EXPORTER?: string;
  OTEL_EXPORTER_OTLP_ENDPOINT?: string;
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT?: string;
  OTEL_TRACES_SAMPLER: string;
  OTEL_TRACES_SAMPLER_ARG: number;
};

/** Traces are off unless there is somewhere to send them to, or they are asked for by name. */
export function isTracingWanted(settings: TracingSettings): boolean {
  if (settings.OTEL_SDK_DISABLED === 'true' || settings.OTEL_TRACES_EXPORTER === 'none') return false;
  return Boolean(
    settings.OTEL_TRACES_EXPORTER ??
      settings.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ??
      settings.OTEL_EXPORTER_OTLP_ENDPOINT,
  );
}
