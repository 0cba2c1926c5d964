import type { FastifyRequest } from 'fastify';
import { readText } from '../../http/field-values.ts';
import { textOf } from '../kit/form-values.ts';

/**
 * @returns the reason from the form; null if it is empty
 * @throws ApiError 400 for a text that the database can't store
 */
export function reasonFrom({ body }: Pick<FastifyRequest, 'body'>): string | null {
  const reason = textOf(body, 'reason');
  return reason === '' ? null : readText('reason', reason);
}
