import type { Static, TSchema } from '@sinclair/typebox';
import { ApiError, type WrongField } from '../../errors/api-error.ts';
import { compileValidator } from '../../schema-validation.ts';

/** A field that was found wrong, and what to tell the person who filled it in. */
export type FieldError = { field: string; message: string };

/**
 * @returns what judges a form by the schema that judges the admin API's body
 * @throws (when judging) ApiError 400 for the first field that is wrong
 */
export function judgeBy<T extends TSchema>(schema: T): (body: unknown) => Static<T> {
  const judge = compileValidator({ schema });
  return (body) => {
    const verdict = judge(body);
    if ('error' in verdict) throw verdict.error;
    return verdict.value as Static<T>;
  };
}

/** @returns the result of what is done with a form, or the field that was found wrong */
export async function attempt<T>(
  act: () => T | Promise<T>,
): Promise<{ result: T; wrong?: never } | { wrong: FieldError; result?: never }> {
  try {
    return { result: await act() };
  } catch (error) {
    if (error instanceof ApiError && error.field) return { wrong: inPortuguese(error.field) };
    throw error;
  }
}

function inPortuguese({ name, rule }: WrongField): FieldError {
  return { field: name, message: rule.pt(name === 'feePercent' ? 'percent' : 'money') };
}
