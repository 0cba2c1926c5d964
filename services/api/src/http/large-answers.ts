import type { FastifyRequest } from 'fastify';
import { fastifyPlugin } from 'fastify-plugin';
import { errors } from './errors/errors.ts';
import { closed } from './long-reads.ts';

const largeCharacters = 64 * 1_024;
// Some pages of 200 payments with the longest texts. Who takes them has hundreds, since few are made at a time.
const heldCharacters = 16 * 1_024 * 1_024;
// A client that takes nothing for so long has gone.
const idleMs = 30_000;
const retrySeconds = 5;

type Options = { readerOf: (request: FastifyRequest) => string };

/**
 * Bounds what is kept of a reader's large answers until it has taken them. A client that asks for pages and takes none
 * would otherwise fill the memory (Design: Bounds). What a change answers is always told: it has taken place. Register it
 * after the authentication.
 */
export const largeAnswers = fastifyPlugin(
  async (app, { readerOf }: Options) => {
    const held = new Map<string, number>();
    const hold = (reader: string, change: number) => {
      const left = (held.get(reader) ?? 0) + change;
      if (left > 0) held.set(reader, left);
      else held.delete(reader);
    };
    app.addHook('onSend', async (request, reply, payload) => {
      const length = typeof payload === 'string' ? payload.length : 0;
      // A response that waits behind another on its connection has no socket yet: hundreds of small ones may.
      const isWaiting = reply.raw.socket === null && reply.statusCode < 400;
      if (request.method !== 'GET' || (length <= largeCharacters && !isWaiting)) return payload;
      const reader = readerOf(request);
      const before = held.get(reader) ?? 0;
      const isTooMuch = before > 0 && before + length > heldCharacters;
      if (isTooMuch) throw errors.tooManyRequests(retrySeconds);
      hold(reader, length);
      void closed(reply).then(() => hold(reader, -length));
      reply.raw.setTimeout(idleMs);
      return payload;
    });
  },
  { name: 'large-answers' },
);
