import { wrongField } from '../../errors/condition.ts';
import { rules } from '../../errors/field-rules.ts';
import { readText } from '../../field-values.ts';

/** @throws ApiError 400 for a name of spaces only, or one that the database can't store */
export function readPersonName(given: string): string {
  const name = readText('name', given.trim());
  if (name === '') throw wrongField('name', rules.notEmpty);
  return name;
}
