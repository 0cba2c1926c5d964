import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Random } from '../random.ts';

/**
 * Handles one webhook.
 * @returns the status of a complete response, or null
 */
export type Temper = (asked: {
  request: IncomingMessage;
  response: ServerResponse;
  random: Random;
  trap: string;
}) => number | null;

const answer = (response: ServerResponse, status: number, delayMs = 0, headers = {}) => {
  setTimeout(() => response.writeHead(status, headers).end(), delayMs);
  return status;
};

/** Receivers of every temper; `share` is how often payments use them. */
export const tempers: Record<string, { share: number; behave: Temper }> = {
  good: { share: 50, behave: ({ response }) => answer(response, 200) },
  slow: { share: 16, behave: ({ response, random }) => answer(response, 200, random.between(200, 1_200)) },
  flaky: { share: 8, behave: ({ response, random }) => answer(response, random.chance(0.3) ? 500 : 204) },
  failing: { share: 4, behave: ({ response }) => answer(response, 503) },
  gone: { share: 4, behave: ({ response }) => answer(response, 410) },
  hanging: { share: 4, behave: () => null },
  resetting: {
    share: 4,
    behave: ({ request }) => {
      request.socket.resetAndDestroy();
      return null;
    },
  },
  dripping: {
    share: 3,
    behave: ({ response }) => {
      response.writeHead(200, { 'content-length': 1_000 });
      const drip = setInterval(() => response.write('.'), 500);
      response.on('close', () => clearInterval(drip));
      return null;
    },
  },
  redirecting: { share: 4, behave: ({ response, trap }) => answer(response, 302, 0, { location: trap }) },
};
