import { ApiError } from './api-error.ts';
import type { FieldRule } from './field-rules.ts';

/** An error as data: status, exact message and cause. Code throws it and the documents show it. */
export type Condition = { status: number; message: string; when: string };

/** Conditions by the names of their examples in the documents. */
export type Conditions = Record<string, Condition>;

/** @returns the condition of a field that breaks a rule */
export function field(name: string, { says }: FieldRule, when: string): Condition {
  return { status: 400, message: `${name} ${says}`, when };
}

/** @returns the error of a field that breaks a rule */
export function wrongField(name: string, rule: FieldRule): ApiError {
  return new ApiError(400, `${name} ${rule.says}`, { kind: 'invalidField', field: { name, rule } });
}
