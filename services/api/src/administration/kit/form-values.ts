import type { Static, TSchema } from '@sinclair/typebox';
import { compileValidator } from '../../http/answers.ts';
import { ApiError, type WrongField } from '../../http/errors/api-error.ts';
import { errors } from '../../http/errors/errors.ts';
import { readDateTime, readText } from '../../http/readers.ts';

/** Readers for values of posted forms and queries. */

type Fields = Record<string, unknown>;

/** @returns the field's trimmed text; empty if it is missing or was sent twice */
export function textOf(form: unknown, name: string): string {
  const value = (form as Fields | null | undefined)?.[name];
  return typeof value === 'string' ? value.trim().toWellFormed() : '';
}

/**
 * @returns the reason from the form of a change; null if it is empty
 * @throws ApiError 400 for a text that the database can't store
 */
export function reasonFrom({ body }: { body: unknown }): string | null {
  const reason = textOf(body, 'reason');
  return reason === '' ? null : readText('reason', reason);
}

/** @returns all texts of the form, to show them again */
export function typedIn(form: unknown): Record<string, string> {
  return Object.fromEntries(
    Object.keys((form as Fields | null) ?? {}).map((name) => [name, textOf(form, name)]),
  );
}

/**
 * Reads a form that shows what there is, to change it. What the person left as it was shown may have been changed
 * elsewhere since then, and stays as it is now.
 * @param now the texts of the form's fields now
 * @param groups fields that mean something only together
 * @throws ApiError 409 if the person touched a field of a group, and one of the group is not as it was shown any more:
 *   nobody chose the two together
 */
export function touchedIn(
  form: unknown,
  now: Record<string, string>,
  groups: readonly (readonly string[])[] = [],
): Record<string, string> {
  const shown = shownIn(form);
  const isTouched = (name: string) => name in shown && textOf(form, name) !== shown[name];
  const isOutdated = (name: string) => name in shown && now[name] !== shown[name];
  if (groups.some((group) => group.some(isTouched) && group.some(isOutdated))) throw errors.formOutdated();
  const untouched = Object.entries(shown).filter(([name, was]) => textOf(form, name) === was);
  return { ...typedIn(form), ...Object.fromEntries(untouched.map(([name]) => [name, now[name] ?? ''])) };
}

/** @returns the texts that the form was sent with; none if it does not say */
function shownIn(form: unknown): Record<string, unknown> {
  try {
    return { ...JSON.parse(textOf(form, 'shown')) };
  } catch {
    return {};
  }
}

/**
 * Reads a number in Brazilian or programming notation: `1.234,56`, `R$ 10`, `1234.56`.
 * @returns the number, null for an empty field, NaN for other text
 */
export function numberFrom(text: string): number | null {
  // Blanks go first: a pattern that runs through them from each of them would take minutes.
  const plain = text.replaceAll(/\s/g, '').replace(/^R\$/i, '').replace(/%$/, '');
  if (plain === '') return null;
  // No group of thousands begins with a zero: 0.025 is less than one.
  const isGrouped = /^[1-9]\d{0,2}(\.\d{3})+(,\d*)?$/.test(plain);
  const digits = (isGrouped ? plain.replaceAll('.', '') : plain).replace(',', '.');
  return /^-?\d+(\.\d+)?$/.test(digits) ? Number(digits) : Number.NaN;
}

/** @returns the number as text for a form field: `1234,56` */
export function numberText(value: number | null, decimals = 2): string {
  if (value === null) return '';
  return value.toLocaleString('pt-BR', {
    minimumFractionDigits: decimals,
    maximumFractionDigits: 4,
    useGrouping: false,
  });
}

/**
 * Reads a field of a day in Brazilian notation, which people write, or ISO's, which links have.
 * @returns the day as `2026-11-23`; another text as it is, for the readers that refuse it
 */
export function dayOfField(form: unknown, name: string): string {
  const text = textOf(form, name);
  const [, day = '', month = '', year] = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(text) ?? [];
  return year ? `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}` : text;
}

/**
 * Reads a field of a day and a time in Brasília time, which is UTC-3 all year round: `23/11/2026 14:30`, or ISO's form.
 * @returns the moment, null for an empty field
 * @throws ApiError 400 for a value that is not a time
 */
export function dateTimeOf(form: unknown, name: string): Date | null {
  const text = textOf(form, name);
  if (text === '') return null;
  const [, day, hour = '', minute] = /^(\S+) +(\d{1,2}):(\d{2})$/.exec(text) ?? [];
  const iso = minute ? `${dayOfField({ day }, 'day')}T${hour.padStart(2, '0')}:${minute}` : text;
  return readDateTime(name, `${iso}-03:00`);
}

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
