import { Type } from '@sinclair/typebox';

const text = (description: string) => Type.Optional(Type.String({ minLength: 1, description }));
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
      // No header has a line break, nor what Latin-1 lacks.
      pattern: '^(none|[A-Za-z][\\w-]*=[ -+\\--~\\x80-\\xff]+(,[A-Za-z][\\w-]*=[ -+\\--~\\x80-\\xff]+)*)$',
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

/** One setting for each field of a profile, since banks change. */
export const overrideSettings = {
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
  PIX_CODE_LOCATION_DIFFERS: choice(
    ['true', 'false'],
    'Whether the location inside a code is another than the charge’s: then the two are not compared',
  ),
  PIX_LIST_DAYS: count(1, 90, 'The longest range of a list'),
  PIX_LIST_PAGE_SIZE: count(1, 1000, 'Entries on a page of a list'),
  PIX_LIST_LAG_SECONDS: count(0, 100, 'How long before now a list ends, where a bank refuses an end to come'),
  PIX_LIST_LACKS_TXID: choice(
    ['true', 'false'],
    'Whether listed Pix come without txid, and are read one by one',
  ),
  PIX_CALLBACK_HEADERS: named("Headers of the callback's registration"),
};
