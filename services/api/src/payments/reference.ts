import { wrongField } from '../errors/condition.ts';
import { rules } from '../errors/field-rules.ts';
import { readText } from '../field-values.ts';

export const longestReference = 100;

/**
 * Reads a store's own name for a payment: any text of 1 to 100 characters.
 * @throws ApiError 400 for anything else
 */
export function readReference(value: unknown): string {
  if (typeof value !== 'string') throw wrongField('reference', rules.string);
  if (value === '') throw wrongField('reference', rules.longEnough(1));
  // A surrogate pair counts as one character.
  if ([...value].length > longestReference)
    throw wrongField('reference', rules.shortEnough(longestReference));
  return readText('reference', value);
}
