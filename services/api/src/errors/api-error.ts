import type { FieldRule } from './field-rules.ts';

/** The field that a request has wrong, and the rule that it breaks. */
export type WrongField = { name: string; rule: FieldRule };

export type ErrorDetails = {
  /** Its name in the list of errors, which metrics count it by. */
  kind?: string;
  headers?: Record<string, string>;
  field?: WrongField;
};

/** A response other than success: rendered as `{statusCode, message}` (Contract: error body). */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly statusCode: number;
  readonly kind: string;
  readonly headers: Record<string, string>;
  readonly field: WrongField | undefined;

  constructor(
    statusCode: number,
    message: string,
    { kind = 'other', headers = {}, field }: ErrorDetails = {},
  ) {
    super(message);
    this.statusCode = statusCode;
    this.kind = kind;
    this.headers = headers;
    this.field = field;
  }
}
