import { createHash } from 'node:crypto';
import { wrongField } from '../errors/condition.ts';
import { rules } from '../errors/field-rules.ts';

const maxLength = 255;

/**
 * @param header the `Idempotency-Key` header
 * @returns the SHA-256 of the key, its only stored form since it may name a person; undefined without the header
 * @throws ApiError 400 for a key longer than 255 characters
 */
export function readIdempotencyKey(header: string | string[] | undefined): string | undefined {
  const key = Array.isArray(header) ? header.join(', ') : header;
  if (key === undefined || key === '') return undefined;
  if (key.length > maxLength) throw wrongField('Idempotency-Key', rules.shortEnough(maxLength));
  return createHash('sha256').update(key).digest('base64url');
}
