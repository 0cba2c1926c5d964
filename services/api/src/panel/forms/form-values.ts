import { readDateTime } from '../../field-values.ts';

/** Values of posted forms and of queries, as text. */

type Fields = Record<string, unknown>;

/** @returns the field's text without blanks around it; empty when it is missing, or was sent twice */
export function textOf(form: unknown, name: string): string {
  const value = (form as Fields | null | undefined)?.[name];
  return typeof value === 'string' ? value.trim().toWellFormed() : '';
}

/** @returns all of the form's texts, to show again what was typed */
export function typedIn(form: unknown): Record<string, string> {
  return Object.fromEntries(
    Object.keys((form as Fields | null) ?? {}).map((name) => [name, textOf(form, name)]),
  );
}

/**
 * Reads a number as people here write it: `1.234,56`, `R$ 10`, `1234.56`.
 * @returns null for an empty field, NaN for what is no number
 */
export function numberFrom(text: string): number | null {
  const plain = text
    .replace(/^R\$\s*/i, '')
    .replace(/\s*%$/, '')
    .replaceAll(/\s/g, '');
  if (plain === '') return null;
  const isGrouped = /^\d{1,3}(\.\d{3})+(,\d*)?$/.test(plain);
  const digits = (isGrouped ? plain.replaceAll('.', '') : plain).replace(',', '.');
  return /^-?\d+(\.\d+)?$/.test(digits) ? Number(digits) : Number.NaN;
}

/** @returns the number as a field of a form shows it: `1234,56` */
export function numberText(value: number | null, decimals = 2): string {
  if (value === null) return '';
  return value.toLocaleString('pt-BR', {
    minimumFractionDigits: decimals,
    maximumFractionDigits: 4,
    useGrouping: false,
  });
}

/**
 * Reads a `datetime-local` field, which is meant in Brazilian time: UTC-3 all year round since 2019.
 * @returns null for an empty field
 * @throws ApiError 400 for what is no time
 */
export function dateTimeOf(form: unknown, name: string): Date | null {
  const text = textOf(form, name);
  return text === '' ? null : readDateTime(name, `${text}-03:00`);
}
