import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fastifyPlugin } from 'fastify-plugin';
import { atMostEach } from './bounds.ts';
import { errors } from './errors/errors.ts';
import { closed } from './long-reads.ts';

// Every valid body fits, but for blanks and fields that nobody asked for.
const largeBytes = 64 * 1_024;
const bounds = {
  all: { running: 4, waiting: Number.POSITIVE_INFINITY },
  each: { running: 1, waiting: 99 },
};
// A body of 1 MB holds the event loop for up to a fifth of a second. Others have it for twelve times as long after that.
const restsPerParse = 12;
const retrySeconds = 1;

type Options = { senderOf: (request: FastifyRequest) => string };

/**
 * Reads the large bodies of a sender one at a time, and rests after each. Many at once would
 * fill the memory, and stop the event loop on which others' sales wait (Design: Bounds). Register it after the
 * authentication.
 */
export const largeBodies = fastifyPlugin(
  async (app, { senderOf }: Options) => {
    const inTurn = atMostEach(bounds);
    const ends = new WeakMap<FastifyRequest, () => void>();

    /** Resolves in the sender's turn, which ends when the body is parsed or given up. */
    const turnOf = (request: FastifyRequest, reply: FastifyReply, endedAt: () => number) =>
      new Promise<void>((begin, refuse) => {
        const parsed = new Promise<void>((end) => ends.set(request, end));
        const turn = inTurn(senderOf(request), async () => {
          begin();
          await Promise.race([parsed, closed(reply)]);
          await delay(restsPerParse * Math.max(0, performance.now() - endedAt()));
        });
        if (!turn) refuse(errors.tooManyRequests(retrySeconds));
      });
    app.addHook('preParsing', async (request, reply, payload) => {
      const { 'content-length': length = 0, 'transfer-encoding': coding } = request.headers;
      if (coding === undefined && Number(length) <= largeBytes) return payload;
      let endedAt = Number.POSITIVE_INFINITY;
      const turn = () => turnOf(request, reply, () => endedAt);
      const body = Readable.from(beyond(payload, largeBytes, turn), { objectMode: false });
      return body.once('end', () => (endedAt = performance.now()));
    });
    app.addHook('preValidation', async (request) => ends.get(request)?.());
  },
  { name: 'large-bodies' },
);

/** @returns the same bytes; those beyond the first ones come in a turn */
async function* beyond(bytes: AsyncIterable<Buffer>, first: number, turn: () => Promise<void>) {
  let read = 0;
  for await (const chunk of bytes) {
    const isBeyond = read <= first && read + chunk.length > first;
    read += chunk.length;
    if (isBeyond) await turn();
    yield chunk;
  }
}
