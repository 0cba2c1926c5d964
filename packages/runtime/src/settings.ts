import { type TSchema, Type } from '@sinclair/typebox';

/** Every setting, described once; a service's own schema picks from these. */

const seconds = (fallback: number, description: string) =>
  Type.Integer({ minimum: 1, maximum: 31_536_000, default: fallback, description });
const secondsList = '^\\d+(\\.\\d+)?(,\\d+(\\.\\d+)?)*$';
/** A setting for a port to listen on; 0 takes any free one. */
export const portSetting = (fallback: number, description: string) =>
  Type.Integer({ minimum: 0, maximum: 65_535, default: fallback, description });

export const settings = {
  DATABASE_URL: Type.String({ pattern: '^postgres(ql)?://', description: 'PostgreSQL, version 15 or later' }),
  DATABASE_POOL_SIZE: Type.Integer({
    minimum: 2,
    maximum: 500,
    default: 10,
    description: 'Connections to PostgreSQL at most, per process',
  }),
  NATS_URL: Type.String({
    pattern: '^(nats|tls)://[^,]+(, *(nats|tls)://[^,]+)*$',
    description:
      'NATS with JetStream, version 2.9 or later; `nats://user:password@host:4222` or `nats://token@host`, several ' +
      'comma-separated; `tls://` insists on TLS',
  }),
  NATS_STREAM: Type.String({
    pattern: '^[A-Z0-9_-]{1,32}$',
    default: 'PAYMENTS',
    description: 'Name of the JetStream stream; its subjects begin with the same word in lower case',
  }),
  HOST: Type.String({ minLength: 1, default: '0.0.0.0', description: 'Address to listen on' }),
  LOG_LEVEL: Type.Union(
    ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'].map((level) => Type.Literal(level)),
    { default: 'info', description: 'fatal, error, warn, info, debug, trace or silent' },
  ),
  PUBLIC_URL: Type.String({
    pattern: '^https?://[^\\s?#]+$',
    description: "The API's address as stores, payers and the PSP reach it",
  }),
  ADMIN_URL: Type.Optional(
    Type.String({
      pattern: '^https?://[^\\s?#]+$',
      description:
        'Where people open the panel; its cookies need TLS where this, or else `PUBLIC_URL`, is https',
    }),
  ),
  TRUST_PROXY: Type.Optional(
    Type.String({
      description:
        'Whose `X-Forwarded-*` headers are believed: addresses or CIDRs of proxies, comma-separated, or a number of ' +
        'hops; without it nobody’s. Limits count by the address that this tells',
    }),
  ),
  CHARGE_EXPIRES_IN_SECONDS: seconds(86_400, 'How long a charge can be paid'),
  CHARGE_GRACE_SECONDS: Type.Integer({
    minimum: 0,
    maximum: 86_400,
    default: 120,
    description:
      'How long after its expiry an unpaid charge is closed: what was paid in time may be seen late',
  }),
  REFUND_RETRY_SECONDS: Type.String({
    pattern: secondsList,
    default: '60,600,3600,21600,86400',
    description:
      'Pauses after which a refund that the bank refused is ordered anew, comma-separated; then a person must act',
  }),
  REVIEW_TIMEOUT_SECONDS: seconds(1_800, 'How long a payment may stay in review before it is refunded'),
  SCAN_INTERVAL_SECONDS: seconds(10, 'Pause between the timed scans'),
  WEBHOOK_TIMEOUT_MS: Type.Integer({
    minimum: 10,
    maximum: 300_000,
    default: 15_000,
    description: 'Time for one webhook attempt, the answer’s body included',
  }),
  WEBHOOK_RETRY_SECONDS: Type.String({
    pattern: secondsList,
    default: '5,30,120,600,1800,3600,7200,14400,28800,43200,86400,86400',
    description: 'Pauses between the attempts of a delivery, comma-separated',
  }),
  WEBHOOK_ALLOW_PRIVATE: Type.String({
    default: '',
    description: 'Private addresses that webhooks may go to, CIDRs, comma-separated',
  }),
  WEBHOOK_DENY: Type.Optional(
    Type.String({
      description:
        'Addresses that webhooks never go to, though public or in `WEBHOOK_ALLOW_PRIVATE`: CIDRs, comma-separated',
    }),
  ),
  WEBHOOK_CONCURRENCY: Type.Integer({
    minimum: 1,
    maximum: 10_000,
    default: 256,
    description: 'Webhook attempts under way at most, per process',
  }),
  WEBHOOK_CONCURRENCY_PER_ENDPOINT: Type.Integer({
    minimum: 1,
    maximum: 10_000,
    default: 64,
    description: 'The same, to one endpoint that answers well; one that does not gets fewer',
  }),
  RETENTION_DAYS: Type.Integer({
    minimum: 1,
    maximum: 36_500,
    default: 90,
    description: 'How long finished deliveries and their attempts are kept',
  }),
  RATE_LIMIT_PER_MINUTE: Type.Integer({
    minimum: 0,
    default: 60_000,
    description:
      'Requests per minute of one store, and a tenth of it in unknown tokens, or wrong admin keys, of one address, ' +
      'per process; 0 is off, except for wrong admin keys: 1000 at most',
  }),
  QR_IMAGES_PER_MINUTE: Type.Integer({
    minimum: 0,
    default: 300,
    description:
      'QR images per minute that one address may ask for and the process has not drawn yet; 0 is off',
  }),
  SHUTDOWN_DELAY_MS: Type.Integer({
    minimum: 0,
    maximum: 60_000,
    default: 0,
    description: 'How long a process that was told to stop goes on serving, so that balancers can turn away',
  }),
  OTEL_SDK_DISABLED: Type.String({
    pattern: '^(true|false)$',
    default: 'false',
    description: '`true` turns traces off, whatever else is set',
  }),
  OTEL_TRACES_EXPORTER: Type.Optional(
    Type.String({
      pattern: '^(otlp|none)$',
      description: '`otlp` turns traces on, as an endpoint does; `none` turns them off',
    }),
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: Type.Optional(
    Type.String({
      pattern: '^https?://',
      description: 'Where traces go, by OTLP over HTTP; without it, or the next one, there are none',
    }),
  ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: Type.Optional(
    Type.String({ pattern: '^https?://', description: 'The same, as the whole address' }),
  ),
  OTEL_EXPORTER_OTLP_HEADERS: Type.Optional(
    Type.String({ description: 'Headers for the receiver of traces, `name=value`, comma-separated' }),
  ),
  OTEL_EXPORTER_OTLP_PROTOCOL: Type.Optional(
    Type.String({ pattern: '^http/protobuf$', description: 'Only `http/protobuf`' }),
  ),
  OTEL_SERVICE_NAME: Type.Optional(
    Type.String({
      minLength: 1,
      description: 'Name in traces, if not `payments-api` and `payments-dispatcher`',
    }),
  ),
  OTEL_RESOURCE_ATTRIBUTES: Type.Optional(
    Type.String({ description: 'More about the process in traces, `name=value`, comma-separated' }),
  ),
  OTEL_TRACES_SAMPLER: Type.String({
    pattern: '^(parentbased_)?(always_on|always_off|traceidratio)$',
    default: 'parentbased_always_on',
    description: 'Which traces are kept, by the names of OpenTelemetry',
  }),
  OTEL_TRACES_SAMPLER_ARG: Type.Number({
    minimum: 0,
    maximum: 1,
    default: 1,
    description: 'The share that a `traceidratio` keeps',
  }),
  ADMIN_KEY: Type.String({ minLength: 8, description: 'What opens the admin listener' }),
} satisfies Record<string, TSchema>;

/** What both services take, whole. */
export const sharedSettings = {
  PUBLIC_URL: settings.PUBLIC_URL,
  DATABASE_URL: settings.DATABASE_URL,
  DATABASE_POOL_SIZE: settings.DATABASE_POOL_SIZE,
  NATS_URL: settings.NATS_URL,
  NATS_STREAM: settings.NATS_STREAM,
  LOG_LEVEL: settings.LOG_LEVEL,
  HOST: settings.HOST,
  CHARGE_GRACE_SECONDS: settings.CHARGE_GRACE_SECONDS,
  REFUND_RETRY_SECONDS: settings.REFUND_RETRY_SECONDS,
  WEBHOOK_ALLOW_PRIVATE: settings.WEBHOOK_ALLOW_PRIVATE,
  WEBHOOK_DENY: settings.WEBHOOK_DENY,
  OTEL_SDK_DISABLED: settings.OTEL_SDK_DISABLED,
  OTEL_TRACES_EXPORTER: settings.OTEL_TRACES_EXPORTER,
  OTEL_EXPORTER_OTLP_ENDPOINT: settings.OTEL_EXPORTER_OTLP_ENDPOINT,
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: settings.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT,
  OTEL_EXPORTER_OTLP_HEADERS: settings.OTEL_EXPORTER_OTLP_HEADERS,
  OTEL_EXPORTER_OTLP_PROTOCOL: settings.OTEL_EXPORTER_OTLP_PROTOCOL,
  OTEL_SERVICE_NAME: settings.OTEL_SERVICE_NAME,
  OTEL_RESOURCE_ATTRIBUTES: settings.OTEL_RESOURCE_ATTRIBUTES,
  OTEL_TRACES_SAMPLER: settings.OTEL_TRACES_SAMPLER,
  OTEL_TRACES_SAMPLER_ARG: settings.OTEL_TRACES_SAMPLER_ARG,
};
