import { type Static, type TObject, Type } from '@sinclair/typebox';

/** The `OTEL_*` variables that the services know; the SDK reads those of the exporter and the resource itself. */
export const tracingSettings = {
  OTEL_SDK_DISABLED: Type.String({
    pattern: '^(true|false)$',
    default: 'false',
    description: '`true` turns traces off',
  }),
  OTEL_TRACES_EXPORTER: Type.Optional(
    Type.String({
      pattern: '^(otlp|none)$',
      description: '`otlp` turns traces on, like an endpoint; `none` turns them off',
    }),
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: Type.Optional(
    Type.String({
      pattern: '^https?://',
      description: 'Base URL of the OTLP receiver (over HTTP). It turns traces on',
    }),
  ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: Type.Optional(
    Type.String({
      pattern: '^https?://',
      description: 'Full URL for traces, instead of the base URL. It turns traces on',
    }),
  ),
  OTEL_EXPORTER_OTLP_HEADERS: Type.Optional(
    Type.String({ description: 'Headers for the OTLP receiver: `name=value`, comma-separated' }),
  ),
  OTEL_EXPORTER_OTLP_PROTOCOL: Type.Optional(
    Type.String({ pattern: '^http/protobuf$', description: 'OTLP protocol: only `http/protobuf`' }),
  ),
  OTEL_SERVICE_NAME: Type.Optional(
    Type.String({
      minLength: 1,
      description: 'Service name in traces, if not `payments-api` or `payments-dispatcher`',
    }),
  ),
  OTEL_RESOURCE_ATTRIBUTES: Type.Optional(
    Type.String({ description: 'More attributes of the process in traces: `name=value`, comma-separated' }),
  ),
  OTEL_TRACES_SAMPLER: Type.String({
    pattern: '^(parentbased_)?(always_on|always_off|traceidratio)$',
    default: 'parentbased_always_on',
    description: 'Sampler, by its OpenTelemetry name',
  }),
  OTEL_TRACES_SAMPLER_ARG: Type.Number({
    minimum: 0,
    maximum: 1,
    default: 1,
    description: 'Share of traces that a `traceidratio` sampler keeps',
  }),
};

export type TracingSettings = Static<TObject<typeof tracingSettings>>;

/** Traces are off unless there is somewhere to send them to, or they are asked for by name. */
export function isTracingWanted(settings: TracingSettings): boolean {
  if (settings.OTEL_SDK_DISABLED === 'true' || settings.OTEL_TRACES_EXPORTER === 'none') return false;
  return Boolean(
    settings.OTEL_TRACES_EXPORTER ??
      settings.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ??
      settings.OTEL_EXPORTER_OTLP_ENDPOINT,
  );
}
