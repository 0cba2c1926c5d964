import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendZipped } from '../pages/assets.ts';

/** A page or text as it is sent. Each is made once, so that readers of the docs do not slow payments down. */
export type Rendered = { text: string; gzipped: Buffer; etag: string };

/** @returns a renderer that reuses its last page for the same argument */
export function lastOf(render: (argument: string | undefined) => string): (argument?: string) => Rendered {
  let last: { argument: string | undefined; page: Rendered } | undefined;
  return (argument) => {
    if (!last || last.argument !== argument) {
      const text = render(argument);
      const etag = `W/"${createHash('sha256').update(text).digest('base64url').slice(0, 16)}"`;
      last = { argument, page: { text, gzipped: gzipSync(text), etag } };
    }
    return last.page;
  };
}

/** Sends what is the same for everybody, or a 304 to those who have it. Copies may be used for an hour. */
export function sendText(
  request: FastifyRequest,
  reply: FastifyReply,
  { text, gzipped, etag }: Rendered,
  type: string,
): FastifyReply {
  void reply.type(`${type}; charset=utf-8`).headers({ 'cache-control': 'public, max-age=3600', etag });
  if (request.headers['if-none-match'] === etag) return reply.code(304).send();
  return sendZipped(request, reply, { content: text, gzipped });
}
