import { type Static, Type } from '@sinclair/typebox';
import { psps } from './profiles/all.ts';

const file = (description: string) => Type.Optional(Type.String({ minLength: 1, description }));
const text = (description: string) => Type.Optional(Type.String({ minLength: 1, description }));
const address = (description: string) => Type.Optional(Type.String({ pattern: '^https?://', description }));
const choice = (values: string[], description: string) =>
  Type.Optional(
    Type.Union(
      values.map((value) => Type.Literal(value)),
      { description },
    ),
  );
const count = (minimum: number, maximum: number, description: string) =>
  Type.Optional(Type.Integer({ minimum, maximum, description }));
const named = (description: string) =>
  Type.Optional(
    Type.String({
      pattern: '^(none|[A-Za-z][\\w-]*=[^,]+(,[A-Za-z][\\w-]*=[^,]+)*)$',
      description: `${description}: \`name=value\`, comma-separated, or \`none\``,
    }),
  );
const patterns = (description: string) =>
  Type.Optional(
    Type.String({
      pattern: '^(none|\\d{3}(:[^,]+)?(,\\d{3}(:[^,]+)?)*)$',
      description: `${description}: statuses, each alone or with a word of the body (\`404,400:_nao_encontrad\`), or \`none\``,
    }),
  );

/** Which bank, and how we prove who we are. */
const access = {
  PIX_PSP: Type.Union(
    psps.map((psp) => Type.Literal(psp)),
    { default: 'bacen', description: 'The bank; `bacen` is one that keeps to the Central Bank’s text' },
  ),
  PIX_URL: address("Base address of the bank's API Pix; without it the bank's own, where one is known"),
  PIX_TOKEN_URL: address("Where tokens come from, if not where the bank's are known to"),
  PIX_ALLOW_HTTP: Type.String({
    pattern: '^(true|false)$',
    default: 'false',
    description:
      '`true` lets `PIX_URL` and `PIX_TOKEN_URL` be plain http beyond this machine: for a simulated bank only',
  }),
  PIX_CLIENT_ID: Type.String({ minLength: 1, description: "The bank's OAuth2 client id" }),
  PIX_CLIENT_SECRET: text("The bank's OAuth2 client secret; required where the bank has one"),
  PIX_APP_KEY: text("The application's key of the developers' portal (Banco do Brasil)"),
  PIX_ACCOUNT: text('The account, where an application has several (Inter)'),
  PIX_KEY: Type.String({ minLength: 1, maxLength: 77, description: 'The Pix key (chave) that receives' }),
  PIX_CERT_FILE: file('Client certificate for mTLS with the bank, PEM'),
  PIX_KEY_FILE: file("The certificate's key, PEM"),
  PIX_P12_FILE: file('Both together as PKCS #12 (`.p12`, `.pfx`), as banks hand them out'),
  PIX_P12_PASSWORD: text('The password of `PIX_P12_FILE`, where it has one'),
  PIX_CA_FILE: file("The bank's certificate authority, PEM"),
  PIX_MERCHANT_NAME: Type.String({
    minLength: 1,
    default: 'PAGAMENTOS',
    description: 'Name in a code that is built here because the bank sent none',
  }),
  PIX_MERCHANT_CITY: Type.String({ minLength: 1, default: 'BRASILIA', description: 'City in such a code' }),
  PIX_CALLS_PER_MINUTE: count(
    1,
    1_000_000,
    'The most calls of the bank in a minute, per process; creations go before polling. Without it what is known of the bank',
  ),
};

/** What is known of the bank, each part of it replaced: banks change. */
const overrides = {
  PIX_TOKEN_CREDENTIALS: choice(
    ['basic', 'basic-encoded', 'body'],
    'Where id and secret stand when a token is asked for; `basic-encoded` percent-encodes them (RFC 6749)',
  ),
  PIX_TOKEN_FORMAT: choice(['form', 'json'], 'How the token is asked for'),
  PIX_TOKEN_GRANT: choice(['body', 'query'], 'Where `grant_type` stands'),
  PIX_SCOPES: text('Scopes that are asked for, separated by blanks; `none` asks for none'),
  PIX_HEADERS: named(
    'Headers of every call; `{uuid}`, `{clientId}`, `{appKey}`, `{account}` stand for their values',
  ),
  PIX_QUERY: named('Query parameters of every call, with the same values'),
  PIX_PATHS: named(
    'Paths relative to `PIX_URL` of `putCharge`, `getCharge`, `cancelCharge`, `pix`, `listPix`, `callback`',
  ),
  PIX_MISSING: patterns('Answers that say that a thing does not exist'),
  PIX_DENIED: patterns('Refusals of our credentials or permissions, which say nothing of a charge or refund'),
  PIX_NOTHING: patterns('Answers that say that a list is empty'),
  PIX_CODE_FIELDS: text('Where a charge has its code: names of fields, comma-separated'),
  PIX_LIST_DAYS: count(1, 90, 'The longest range of a list'),
  PIX_LIST_PAGE_SIZE: count(1, 1000, 'Entries on a page of a list'),
  PIX_LIST_LAG_SECONDS: count(0, 100, 'How long before now a list ends, where a bank refuses an end to come'),
  PIX_LIST_LACKS_TXID: choice(
    ['true', 'false'],
    'Whether listed Pix come without txid, and are read one by one',
  ),
  PIX_CALLBACK_HEADERS: named("Headers of the callback's registration"),
};

/** Everything about the bank, for both services. */
export const pixSettings = { ...access, ...overrides };

const schema = Type.Object(pixSettings);
export type PixSettings = Static<typeof schema>;
