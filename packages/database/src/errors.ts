/** The database can't be reached, or the connection broke. The caller may retry; a write may have been committed. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';
}

/** The schema is older than this code needs. */
export class SchemaOutdated extends Error {
  override readonly name = 'SchemaOutdated';
}

/** PostgreSQL's code for a refused write. */
export const readOnly = '25006';

// Class 08: connection exceptions. 57P0x: shutting down, crashed, starting up. 53: no connection, memory or disk left.
// 58: its disk or files fail. 57014: statement timeout. 55P03: a lock that is held for long. 25006: a standby, or a primary
// that was demoted.
const unavailableStates = /^(08...|57P0[1-5]|57014|55P03|53...|58...|25006)$/;
const unavailableCodes =
  /^E(CONNREFUSED|CONNRESET|CONNABORTED|TIMEDOUT|PIPE|HOSTUNREACH|NETUNREACH|NOTFOUND|AI_AGAIN|NOENT)$/;
// A certificate that is not accepted, by Node's names of OpenSSL's verdicts.
const tlsCodes =
  /^(ERR_TLS_|ERR_SSL_|CERT_|SELF_SIGNED_CERT|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_|HOSTNAME_MISMATCH)/;
const noTls = 'The server does not support SSL connections';
const unavailableMessages =
  /Connection terminated|timeout exceeded when trying to connect|not queryable|^Query read timeout$/;

/** @returns DatabaseUnavailable if the driver's error means that the database is down; else the error itself */
export function translateError(error: unknown): unknown {
  return isUnavailable(error) ? unavailable(error) : error;
}

/**
 * @param error why no connection was opened. Whatever code the server or the system gives for it, for example while the
 * role's password is changed or a backup takes the database's place, there is no database
 * @returns DatabaseUnavailable, or the error itself if it has no code
 */
export function translateRefusal(error: unknown): unknown {
  return codeOf(error) === undefined ? translateError(error) : unavailable(error);
}

const unavailable = (cause: unknown) => new DatabaseUnavailable('the database is unavailable', { cause });

/** @returns why TLS with the server failed, without its names; undefined for any other error */
export function tlsProblem(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error instanceof DatabaseUnavailable) return tlsProblem(error.cause);
  const code = codeOf(error);
  if (error.message === noTls) return 'the server has no TLS';
  return code !== undefined && tlsCodes.test(code)
    ? `the server's certificate is not accepted (${code})`
    : undefined;
}

/** @returns whether the server refused to write */
export function isReadOnly(error: unknown): boolean {
  return codeOf(error) === readOnly;
}

/** @returns whether a statement gave up since a row was locked for too long */
export function isLockedOut(error: unknown): boolean {
  return error instanceof DatabaseUnavailable && codeOf(error.cause) === '55P03';
}

function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError) return error.errors.every(isUnavailable);
  if (tlsProblem(error) !== undefined) return true;
  const code = codeOf(error);
  if (code !== undefined) return unavailableStates.test(code) || unavailableCodes.test(code);
  return unavailableMessages.test(error.message);
}

/** @returns the code of PostgreSQL, the system or Node, if the error has one */
export function codeOf(error: unknown): string | undefined {
  const { code } = (error ?? {}) as { code?: unknown };
  return error instanceof Error && typeof code === 'string' ? code : undefined;
}
