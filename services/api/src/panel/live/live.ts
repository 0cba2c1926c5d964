import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { html, type SafeHtml } from '../../html.ts';
import { csrfToken } from '../session/cookies.ts';

/** A part of an open page that is exchanged when it has changed; `announce` is read out when it does. */
export type LiveRegion = { id: string; content: SafeHtml; announce?: string };

const everyMs = 1_500;

/** The parts of a page that stay up to date while it is open; without script they are as they were loaded. */
export function live(from: string, content: SafeHtml): SafeHtml {
  return html`<div class="live-page" data-live-from="${from}" data-live-every="${everyMs}">${content}
    <p class="visually-hidden" role="status" data-live-status></p>
    <p class="alert warning" role="alert" data-live-notice hidden></p></div>`;
}

/** Its version tells the browser whether it changed; the forms' token, other in each answer, is no change. */
export function liveRegion({ id, content, announce }: LiveRegion, csrf: string): SafeHtml {
  return html`<div class="live-region" id="${id}" data-live="${digest(String(content).replaceAll(csrf, ''))}"
    data-announce="${announce ?? ''}">${content}</div>`;
}

/** Answers an open page that asks for its regions: 304 where none has changed since it last asked. */
export function sendRegions(
  request: FastifyRequest,
  reply: FastifyReply,
  regions: (csrf: string) => readonly SafeHtml[],
): FastifyReply {
  const csrf = csrfToken(request, reply);
  const fragment = String(html`${[...regions(csrf)]}`);
  const etag = `"${digest(fragment.replaceAll(csrf, ''))}"`;
  void reply.header('etag', etag).type('text/html; charset=utf-8');
  return request.headers['if-none-match'] === etag ? reply.code(304).send() : reply.send(fragment);
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}
