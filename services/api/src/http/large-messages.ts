import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fastifyPlugin } from 'fastify-plugin';
import { atMostEach } from './bounds.ts';
import { errors } from './errors/errors.ts';
import { closed } from './long-reads.ts';

// What the large bodies and answers of one caller may take of the process (Design: Bounds).

// Every valid body fits, but for blanks and fields that nobody asked for.
const largeBytes = 64 * 1_024;
const bounds = {
  all: { running: 4, waiting: Number.POSITIVE_INFINITY },
  each: { running: 1, waiting: 99 },
};
// A body of 1 MB holds the event loop for up to a fifth of a second. Others have it for twelve times as long after that.
const restsPerParse = 12;
const sendAgainSeconds = 1;

/**
 * Reads the large bodies of a sender one at a time, and rests after each. Many at once would fill the memory, and stop
 * the event loop on which others' sales wait. Register it after the authentication.
 */
export const largeBodies = fastifyPlugin(
  async (app, { senderOf }: { senderOf: (request: FastifyRequest) => string }) => {
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
        if (!turn) refuse(errors.tooManyRequests(sendAgainSeconds));
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

const largeCharacters = 64 * 1_024;
// Room for some pages of 200 payments with the longest texts. A reader that takes its answers can have hundreds of them,
// since only a few are made, and so kept, at the same time.
const heldCharacters = 16 * 1_024 * 1_024;
// A client that takes nothing for so long has gone.
const idleMs = 30_000;
const askAgainSeconds = 5;

/**
 * Bounds what is kept of a reader's large answers until it has taken them. A client that asks for pages and takes none
 * would otherwise fill the memory. What a change answers is always told: it has taken place. Register it after the
 * authentication.
 */
export const largeAnswers = fastifyPlugin(
  async (app, { readerOf }: { readerOf: (request: FastifyRequest) => string }) => {
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
      if (isTooMuch) throw errors.tooManyRequests(askAgainSeconds);
      hold(reader, length);
      void closed(reply).then(() => hold(reader, -length));
      reply.raw.setTimeout(idleMs);
      return payload;
    });
  },
  { name: 'large-answers' },
);

/**
 * Sends text part by part, as fast as the client reads. HEAD gets the headers alone: Fastify would read all parts to
 * the last one for it, outside every bound, since its answer has already ended.
 */
export function sendParts(reply: FastifyReply, parts: AsyncIterable<string>): FastifyReply {
  const read = reply.request.method === 'HEAD' ? [] : parts;
  return reply.send(Readable.from(read, { objectMode: false, highWaterMark: 1 }));
}
