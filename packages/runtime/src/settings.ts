import { Type } from '@sinclair/typebox';

const ports = { minimum: 0, maximum: 65_535 };

/** A port to listen on; 0 takes any free one. */
export const portSetting = (fallback: number, description: string) =>
  Type.Integer({ ...ports, default: fallback, description });

/** A port of a listener that is only there if it has one. */
export const ownPortSetting = (description: string) => Type.Optional(Type.Integer({ ...ports, description }));

/** A whole number of seconds, up to a year. */
export const secondsSetting = (fallback: number, description: string) =>
  Type.Integer({ minimum: 1, maximum: 31_536_000, default: fallback, description });

/** Seconds, comma-separated, each up to three years: no time lies beyond what PostgreSQL and a Date can hold. */
export const secondsListSetting = (fallback: string, description: string) =>
  Type.String({
    pattern: '^\\d{1,8}(\\.\\d+)?(,\\d{1,8}(\\.\\d+)?)*$',
    default: fallback,
    description,
  });

const allowPlain = (server: string, tls: string) =>
  Type.String({
    pattern: '^(true|false)$',
    default: 'false',
    description: `\`true\` lets ${server} beyond this machine be without ${tls} in production`,
  });

/** Where PostgreSQL is, and how it is reached. */
export const databaseSettings = {
  DATABASE_URL: Type.String({
    pattern: '^postgres(ql)?://',
    description:
      'PostgreSQL, version 15 or later; `postgres://user:password@host:5432/name`, several hosts of one cluster ' +
      'comma-separated: the one that takes writes is used; `?sslmode=verify-full` insists on TLS',
  }),
  DATABASE_CA_FILE: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        "PostgreSQL's certificate authority, PEM: with it, `DATABASE_URL` has `sslmode=verify-full` and this `sslrootcert`",
    }),
  ),
  DATABASE_ALLOW_PLAIN: allowPlain('PostgreSQL', 'TLS that verifies the server’s name'),
};

/** Where NATS is, and how it is reached. */
export const natsSettings = {
  NATS_URL: Type.String({
    pattern: '^(nats|tls)://[^,]+(, *(nats|tls)://[^,]+)*$',
    description:
      'NATS with JetStream, version 2.9 or later; `nats://user:password@host:4222` or `nats://token@host`, several ' +
      'comma-separated; `tls://` insists on TLS',
  }),
  NATS_CA_FILE: Type.Optional(
    Type.String({
      minLength: 1,
      description: "NATS's certificate authority, PEM: with it, all servers need TLS",
    }),
  ),
  NATS_ALLOW_PLAIN: allowPlain('NATS', 'TLS'),
};

/** The settings of every process: where it listens, what it logs, what it connects to. */
export const processSettings = {
  PUBLIC_URL: Type.String({
    pattern: '^https?://[^\\s?#/@]+(/[^\\s?#]*)?$',
    description: "The API's address for stores, payers and the PSP",
  }),
  ...databaseSettings,
  DATABASE_POOL_SIZE: Type.Integer({
    minimum: 2,
    maximum: 500,
    default: 10,
    description:
      'The most connections to PostgreSQL, per process; in the API, panel and administration have at most two fifths, payers’ pages a fifth',
  }),
  ...natsSettings,
  NATS_STREAM: Type.String({
    pattern: '^[A-Z0-9_-]{1,32}$',
    default: 'PAYMENTS',
    description: 'Name of the JetStream stream; its subjects begin with the same word in lower case',
  }),
  NATS_REPLICAS: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 5,
      description:
        'Servers of a NATS cluster that keep the stream: 3 for one that goes on without any one server; without it the ' +
        'stream keeps what it has',
    }),
  ),
  METRICS_PORT: ownPortSetting(
    'Port of a listener for `/metrics` alone; without it they share the port of health checks',
  ),
  SECRETS_KEY: Type.Optional(
    Type.String({
      minLength: 32,
      description:
        'Seals secrets that the database keeps to be read again, such as those of webhooks; required in production, ' +
        'elsewhere they are stored as they are without it',
    }),
  ),
  SECRETS_KEY_PREVIOUS: Type.Optional(
    Type.String({
      minLength: 32,
      description: 'The key before: what it has sealed is sealed anew with `SECRETS_KEY` at the start',
    }),
  ),
  SECRETS_KEY_NEXT: Type.Optional(
    Type.String({
      minLength: 32,
      description:
        'The key to come: it opens, and does not seal yet, while processes with the two keys run side by side',
    }),
  ),
  LOG_LEVEL: Type.Union(
    ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'].map((level) => Type.Literal(level)),
    { default: 'info', description: 'fatal, error, warn, info, debug, trace or silent' },
  ),
  HOST: Type.String({ minLength: 1, default: '0.0.0.0', description: 'Address to listen on' }),
};
