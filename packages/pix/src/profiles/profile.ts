/** Base of the API Pix and address of tokens, in one of a bank's environments. */
export type Addresses = { url: string; tokenUrl: string };

/**
 * The source of a fact: the bank itself, somebody's code or report, or a conclusion of ours. `date` is the source's own
 * date if it has one, else the day when it was read.
 */
export type Source = { kind: 'bank' | 'third-party' | 'inferred'; where: string; date: string };

/**
 * How one bank differs from the Central Bank's text. It is data: each field can be given by the setting named beside it.
 * `{uuid}`, `{clientId}`, `{appKey}` and `{account}` in headers and queries stand for their values; a header or query
 * whose value is not given is left out.
 */
export type Profile = {
  /** Its name in `PIX_PSP`. */
  psp: string;
  name: string;
  /** `PIX_URL` and `PIX_TOKEN_URL`; the token's path serves where `PIX_URL` is none of the bank's known addresses. */
  production: Addresses | null;
  sandbox: Addresses | null;
  tokenPath: string;
  /** The credentials it needs besides id, key and certificate. */
  needs: readonly ('secret' | 'appKey' | 'certificate')[];

  /** `PIX_TOKEN_CREDENTIALS`: where id and secret stand; `basic-encoded` percent-encodes them first (RFC 6749 §2.3.1). */
  credentials: 'basic' | 'basic-encoded' | 'body';
  /** `PIX_TOKEN_FORMAT` */
  tokenFormat: 'form' | 'json';
  /** `PIX_TOKEN_GRANT`: where `grant_type` stands. */
  grantIn: 'body' | 'query';
  /** `PIX_SCOPES`: those asked for, none where empty. */
  scopes: readonly string[];

  /** `PIX_HEADERS` and `PIX_QUERY`: added to every call but the token's. */
  headers: Readonly<Record<string, string>>;
  query: Readonly<Record<string, string>>;
  /** `PIX_PATHS`: paths of operations, relative to the base, where they are not the standard's. */
  paths: Partial<Record<PathName, string>>;

  /** `PIX_MISSING`: responses which mean that a charge, Pix, refund or callback does not exist. */
  missing: readonly AnswerPattern[];
  /** `PIX_DENIED`: refusals of credentials or permissions, which are no verdict on a charge or refund. */
  denied: readonly AnswerPattern[];
  /** `PIX_NOTHING`: responses which mean that a list is empty. */
  nothing: readonly AnswerPattern[];
  /** `PIX_CODE_FIELDS`: where a charge's code may be; without one it is built from `location`. */
  codeFields: readonly string[];
  /** `PIX_CODE_LOCATION_DIFFERS`: the location inside a code is not the charge's, so the two are not compared. */
  codeLocationDiffers: boolean;

  /** `PIX_LIST_DAYS`: the longest range of a list. */
  listDays: number;
  /** `PIX_LIST_PAGE_SIZE` */
  pageSize: number;
  /** `PIX_LIST_LAG_SECONDS`: a list ends so long before now, where the bank refuses an end to come. */
  listLagSeconds: number;
  /** `PIX_LIST_LACKS_TXID`: listed Pix come without their txid, and are read one by one. */
  listLacksTxid: boolean;

  /** `PIX_CALLBACK_HEADERS`: added to the callback's registration. */
  callbackHeaders: Readonly<Record<string, string>>;
  /** The suffix that the bank adds to the registered address. Both addresses are served, so this only informs. */
  callbackSuffix: '/pix' | '' | 'unknown';
  /** How the bank tests the address at its registration. Every test gets a response, so this only informs. */
  callbackProbe: 'post' | 'none' | 'unknown';
  /** `PIX_CALLS_PER_MINUTE`, per process; null for no limit that is known. */
  callsPerMinute: number | null;

  sources: readonly Source[];
  /** Unknown facts. The profile follows the standard there. */
  unknown: readonly string[];
};

/** A status, or a status with a word of the response's body: `404`, `400:_nao_encontrad`. */
export type AnswerPattern = string;

/** Operations whose path may differ, by their names in the client. */
export type PathName = 'putCharge' | 'getCharge' | 'cancelCharge' | 'pix' | 'listPix' | 'callback';

export const standardPaths: Readonly<Record<PathName, string>> = {
  putCharge: 'cob',
  getCharge: 'cob',
  cancelCharge: 'cob',
  pix: 'pix',
  listPix: 'pix',
  callback: 'webhook',
};

/** The fact that no bank's public sources tell: whether a lost payment can be created anew from its charge. */
export const marksUnknown = 'whether a charge that is read repeats infoAdicionais, which hold our mark';
