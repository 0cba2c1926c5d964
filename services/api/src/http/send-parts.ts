import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

/**
 * Sends text part by part, as fast as the client reads. HEAD gets the headers alone: Fastify would read all parts to
 * the last one for it, outside every bound, since its answer has already ended.
 */
export function sendParts(reply: FastifyReply, parts: AsyncIterable<string>): FastifyReply {
  const read = reply.request.method === 'HEAD' ? [] : parts;
  return reply.send(Readable.from(read, { objectMode: false, highWaterMark: 1 }));
}
