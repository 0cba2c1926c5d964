import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Actor } from '../../access/actor.ts';
import type { SafeHtml } from '../../pages/html.ts';
import { csrfToken } from '../../people/sessions/cookies.ts';
import { layout, type Section } from './layout.ts';

export type Page = {
  title: string;
  section?: Section;
  /** Renders the content with the forms' token. */
  content: (csrf: string) => SafeHtml;
};

/** Sends a complete page with the reply's status code. */
export function sendPage(request: FastifyRequest, reply: FastifyReply, page: Page): FastifyReply {
  const csrf = csrfToken(request, reply);
  const { title, section } = page;
  const actor = request.actor as Actor | undefined;
  const isAlone = request.isFactorMissing === true;
  const document = layout({ title, section, actor, isAlone, csrf, content: page.content(csrf) });
  return reply.type('text/html; charset=utf-8').send(String(document));
}
