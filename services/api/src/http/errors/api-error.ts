import type { FieldRule } from './field-rules.ts';

/** A wrong field of a request and the rule that it breaks. */
export type WrongField = { name: string; rule: FieldRule };

export type ErrorDetails = {
  /** Name of the error in the list, and its label in the metrics. */
  kind?: string;
  headers?: Record<string, string>;
  field?: WrongField;
};

/** An error response, rendered as `{statusCode, message}` (Contract: error body). */
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
