import type { Static, TSchema } from '@sinclair/typebox';
import { ApiError } from '../../errors/api-error.ts';
import { compileValidator } from '../../schema-validation.ts';
import { type FieldError, inPortuguese } from './messages.ts';

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

/** Does something with a form. @returns its result, or which field was found wrong */
export async function attempt<T>(
  act: () => T | Promise<T>,
): Promise<{ result: T; wrong?: never } | { wrong: FieldError; result?: never }> {
  try {
    return { result: await act() };
  } catch (error) {
    if (error instanceof ApiError && error.statusCode === 400) return { wrong: inPortuguese(error.message) };
    throw error;
  }
}
