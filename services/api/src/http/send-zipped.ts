import type { FastifyReply, FastifyRequest } from 'fastify';

/** Sends what was zipped beforehand, or its plain content to those who don't take that. */
export function sendZipped(
  request: FastifyRequest,
  reply: FastifyReply,
  { content, gzipped }: { content: string | Buffer; gzipped: Buffer },
): FastifyReply {
  const zips = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
  void reply.header('vary', 'accept-encoding');
  if (zips) void reply.header('content-encoding', 'gzip');
  return reply.send(zips ? gzipped : content);
}
