import { gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendZipped } from '../http/send-zipped.ts';
import { pagePolicy } from '../pages/headers.ts';

// `blob:` shows the image of a QR response.
const policy = pagePolicy({ images: "'self' blob:" });

export type Rendered = { text: string; gzipped: Buffer };

/** Sends a page, or another text whose type is set, zipped to those who take that. */
export function show(
  request: FastifyRequest,
  reply: FastifyReply,
  page: Rendered,
  caching: string,
): FastifyReply {
  void reply.headers({ 'content-security-policy': policy, 'cache-control': caching });
  if (!reply.hasHeader('content-type')) void reply.type('text/html; charset=utf-8');
  return sendZipped(request, reply, { content: page.text, gzipped: page.gzipped });
}

/** @returns a renderer that reuses its last page for the same argument */
export function lastOf(render: (token: string | undefined) => string): (token?: string) => Rendered {
  let last: { token: string | undefined; page: Rendered } | undefined;
  return (token) => {
    if (!last || last.token !== token) {
      const text = render(token);
      last = { token, page: { text, gzipped: gzipSync(text) } };
    }
    return last.page;
  };
}
