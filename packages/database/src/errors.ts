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
// 57014: statement timeout. 25006: a standby, or a primary that was demoted.
const unavailableStates = /^(08...|57P0[1-5]|57014|53...|25006)$/;
const unavailableCodes =
  /^E(CONNREFUSED|CONNRESET|CONNABORTED|TIMEDOUT|PIPE|HOSTUNREACH|NETUNREACH|NOTFOUND|AI_AGAIN|NOENT)$/;
const unavailableMessages =
  /Connection terminated|timeout exceeded when trying to connect|not queryable|^Query read timeout$/;

/** @returns DatabaseUnavailable if the driver's error means that the database is down; else the error itself */
export function translateError(error: unknown): unknown {
  return isUnavailable(error)
    ? new DatabaseUnavailable('the database is unavailable', { cause: error })
    : error;
}

/** @returns whether the server refused to write */
export function isReadOnly(error: unknown): boolean {
  return error instanceof Error && (error as { code?: unknown }).code === readOnly;
}

function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError) return error.errors.every(isUnavailable);
  const { code } = error as { code?: unknown };
  if (typeof code === 'string') return unavailableStates.test(code) || unavailableCodes.test(code);
  return unavailableMessages.test(error.message);
}
