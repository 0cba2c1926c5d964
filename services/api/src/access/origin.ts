import type { Author } from '@payments/database/operations/changes';
import type { FastifyRequest } from 'fastify';

const longestBrowser = 200;

/** @returns what the browser or program calls itself, cut; null if it does not say */
export function browserOf({ headers }: Pick<FastifyRequest, 'headers'>): string | null {
  return headers['user-agent']?.slice(0, longestBrowser) ?? null;
}

/** @returns what the record keeps of a request: its id, the client's address behind trusted proxies, the browser */
export function originOf(request: FastifyRequest): Pick<Author, 'requestId' | 'address' | 'browser'> {
  return { requestId: request.id, address: request.ip, browser: browserOf(request) };
}
