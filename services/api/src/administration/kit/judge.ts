import type { Static, TSchema } from '@sinclair/typebox';
import { ApiError, type WrongField } from '../../http/errors/api-error.ts';
import { compileValidator } from '../../http/schema-validation.ts';

/** A wrong field and the message for the person who filled it in. */
export type FieldError = { field: string; message: string };

/** @returns what is wrong with a form's field, if anything */
export function errorOf(wrong: FieldError | undefined, name: string): string | undefined {
  return wrong?.field === name ? wrong.message : undefined;
}

type Typed = { values: Record<string, string>; wrong?: FieldError | undefined };

/** @returns a form's fields by their names, each with what was typed and what is wrong with it */
export const fieldsOf =
  ({ values, wrong }: Typed) =>
  (name: string) => ({ name, value: values[name], error: errorOf(wrong, name) });

/**
 * @returns a validator of forms, with the schema of the admin API's body; it throws ApiError 400 for the first
 *   wrong field
 */
export function judgeBy<T extends TSchema>(schema: T): (body: unknown) => Static<T> {
  const judge = compileValidator({ schema });
  return (body) => {
    const verdict = judge(body);
    if ('error' in verdict) throw verdict.error;
    return verdict.value as Static<T>;
  };
}

/** @returns the result of the form's action, or the wrong field */
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
