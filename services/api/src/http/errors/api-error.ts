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

/**
 * An error as data: status, exact message and cause. Code throws it and the documents show it. `code` is its
 * `Error-Code` where that is not the condition's name in the list of errors.
 */
export type Condition = { status: number; message: string; when: string; code?: string };

/** Conditions by the names of their examples in the documents. */
export type Conditions = Record<string, Condition>;

/** @returns the condition of a field that breaks a rule */
export function field(name: string, { says }: FieldRule, when: string): Condition {
  return { status: 400, message: `${name} ${says}`, when, code: 'invalidField' };
}

/** @returns the error of a field that breaks a rule */
export function wrongField(name: string, rule: FieldRule): ApiError {
  return new ApiError(400, `${name} ${rule.says}`, { kind: 'invalidField', field: { name, rule } });
}
