import type { FastifyRequest } from 'fastify';
import { readText } from '../../field-values.ts';
import { textOf } from '../forms/form-values.ts';

/**
 * @returns why somebody does something, from the form's field; null where nothing was typed
 * @throws ApiError 400 for what can't be recorded
 */
export function reasonFrom({ body }: Pick<FastifyRequest, 'body'>): string | null {
  const reason = textOf(body, 'reason');
  return reason === '' ? null : readText('reason', reason);
}
