import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { html, type SafeHtml } from '../../pages/html.ts';
import { csrfToken } from '../../people/sessions/cookies.ts';

/** A part of an open page that is replaced when it changes. Screen readers then read `announce`. */
type LiveRegion = { id: string; content: SafeHtml; announce?: string };

const everyMs = 1_500;

/** The parts of a page that stay up to date while it is open. Without script they stay as loaded. */
export function live(from: string, content: SafeHtml): SafeHtml {
  return html`<div class="live-page" data-live-from="${from}" data-live-every="${everyMs}">${content}
    <p class="visually-hidden" role="status" data-live-status></p>
    <p class="alert warning" role="alert" data-live-notice hidden></p></div>`;
}

/** The version identifies the content. It ignores the forms' token, which differs in each response. */
export function liveRegion({ id, content, announce }: LiveRegion, csrf: string): SafeHtml {
  return html`<div class="live-region" id="${id}" data-live="${digest(String(content).replaceAll(csrf, ''))}"
    data-announce="${announce ?? ''}">${content}</div>`;
}

/** Sends the regions of an open page, or a 304 if none has changed since its last request. */
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
