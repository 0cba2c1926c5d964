import { errors } from '../errors/errors.ts';

const maxLength = 255;

/**
 * @param header the `Idempotency-Key` header
 * @returns the key, or undefined where none was sent
 * @throws ApiError 400 for one that is longer than 255 characters
 */
export function readIdempotencyKey(header: string | string[] | undefined): string | undefined {
  const key = Array.isArray(header) ? header.join(', ') : header;
  if (key === undefined || key === '') return undefined;
  if (key.length > maxLength) {
    throw errors.invalidField(`Idempotency-Key must be shorter than or equal to ${maxLength} characters`);
  }
  return key;
}
