import { createHash } from 'node:crypto';
import { wrongField } from '../../http/errors/condition.ts';
import { rules } from '../../http/errors/field-rules.ts';

const maxLength = 255;

/**
 * @param header the `Idempotency-Key` header
 * @returns the SHA-256 of the key, its only stored form since it may name a person; undefined without the header
 * @throws ApiError 400 for a key that is empty, or longer than 255 characters: who sends one believes to be protected
 */
export function readIdempotencyKey(header: string | string[] | undefined): string | undefined {
  const key = textOf(header);
  if (header !== undefined && key.trim() === '') throw wrongField('Idempotency-Key', rules.longEnough(1));
  if (key.length > maxLength) throw wrongField('Idempotency-Key', rules.shortEnough(maxLength));
  return hashOfKey(header);
}

/** @returns the stored form of a key, whatever its length; undefined without the header */
export function hashOfKey(header: string | string[] | undefined): string | undefined {
  const key = textOf(header);
  return key === '' ? undefined : createHash('sha256').update(key).digest('base64url');
}

const textOf = (header: string | string[] | undefined) =>
  Array.isArray(header) ? header.join(', ') : (header ?? '');
