/** An answer other than success: rendered as `{statusCode, message}` (spec 2.4). */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  /** Its name in the list of errors. */
  kind = 'other';

  constructor(statusCode: number, message: string, headers: Record<string, string> = {}) {
    super(message);
    this.statusCode = statusCode;
    this.headers = headers;
  }
}
