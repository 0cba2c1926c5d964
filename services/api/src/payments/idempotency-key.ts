import { wrongField } from '../errors/condition.ts';
import { rules } from '../errors/field-rules.ts';

const maxLength = 255;

/**
 * @param header the `Idempotency-Key` header
 * @returns the key, or undefined without the header
 * @throws ApiError 400 for a key longer than 255 characters
 */
export function readIdempotencyKey(header: string | string[] | undefined): string | undefined {
  const key = Array.isArray(header) ? header.join(', ') : header;
  if (key === undefined || key === '') return undefined;
  if (key.length > maxLength) throw wrongField('Idempotency-Key', rules.shortEnough(maxLength));
  return key;
}
