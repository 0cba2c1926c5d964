import { type Static, type TObject, Type } from '@sinclair/typebox';

/** As OpenTelemetry writes lists: `name=value`, comma-separated. */
const pairs = { pattern: '^[^=,]+=[^,]*(,[^=,]+=[^,]*)*$' };

/** The `OTEL_*` variables of the services. The SDK reads those of the exporter and the resource itself. */
export const tracingSettings = {
  OTEL_SDK_DISABLED: Type.String({
    pattern: '^(true|false)$',
    default: 'false',
    description: '`true` turns tracing off, whatever the other settings',
  }),
  OTEL_TRACES_EXPORTER: Type.Optional(
    Type.String({
      pattern: '^(otlp|none)$',
      description: '`otlp` turns tracing on, as an endpoint does; `none` turns it off',
    }),
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: Type.Optional(
    Type.String({
      pattern: '^https?://',
      description: 'The address for traces, by OTLP over HTTP; tracing is off without this and the next one',
    }),
  ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: Type.Optional(
    Type.String({ pattern: '^https?://', description: 'The whole address for traces' }),
  ),
  OTEL_EXPORTER_OTLP_HEADERS: Type.Optional(
    Type.String({
      ...pairs,
      description: 'Headers for the trace receiver: `name=value`, comma-separated',
    }),
  ),
  OTEL_EXPORTER_OTLP_PROTOCOL: Type.Optional(
    Type.String({ pattern: '^http/protobuf$', description: 'Only `http/protobuf`' }),
  ),
  OTEL_SERVICE_NAME: Type.Optional(
    Type.String({
      minLength: 1,
      description: 'The service’s name in traces; `payments-api` or `payments-dispatcher` by default',
    }),
  ),
  OTEL_RESOURCE_ATTRIBUTES: Type.Optional(
    Type.String({
      ...pairs,
      description: 'Further attributes of the process in traces: `name=value`, comma-separated',
    }),
  ),
  OTEL_TRACES_SAMPLER: Type.String({
    pattern: '^(parentbased_)?(always_on|always_off|traceidratio)$',
    default: 'parentbased_always_on',
    description: 'Which traces are kept, by OpenTelemetry’s names',
  }),
  OTEL_TRACES_SAMPLER_ARG: Type.Number({
    minimum: 0,
    maximum: 1,
    default: 1,
    description: 'The share that `traceidratio` keeps',
  }),
};

export type TracingSettings = Static<TObject<typeof tracingSettings>>;

/** Tracing is on if an endpoint is set or `otlp` is requested. */
export function isTracingWanted(settings: TracingSettings): boolean {
  if (settings.OTEL_SDK_DISABLED === 'true' || settings.OTEL_TRACES_EXPORTER === 'none') return false;
  return Boolean(
    settings.OTEL_TRACES_EXPORTER ??
      settings.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ??
      settings.OTEL_EXPORTER_OTLP_ENDPOINT,
  );
}
