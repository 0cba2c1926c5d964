import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SafeHtml } from '../../html.ts';
import { csrfToken } from '../session/cookies.ts';
import { layout, type Section } from './layout.ts';

export type Page = {
  title: string;
  section?: Section;
  /** Made with the token that the page's forms carry. */
  content: (csrf: string) => SafeHtml;
};

/** Answers with a whole page; the status code is the reply's own. */
export function sendPage(request: FastifyRequest, reply: FastifyReply, page: Page): FastifyReply {
  const csrf = csrfToken(request, reply);
  const { title, section } = page;
  const signedIn = request.panelSession !== undefined;
  const document = layout({ title, section, signedIn, csrf, content: page.content(csrf) });
  return reply.type('text/html; charset=utf-8').send(String(document));
}
