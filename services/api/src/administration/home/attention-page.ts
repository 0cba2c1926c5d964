import { readOverview } from '@payments/database/backlog';
import type { FastifyInstance } from 'fastify';
import type { AdministrationContext } from '../../context.ts';
import { html } from '../../pages/html.ts';
import { readBanks } from '../banks/read-banks.ts';
import { sendPage } from '../kit/send-page.ts';
import { attention } from './attention.ts';
import { bankAlert } from './bank-alert.ts';

/** The page of what waits for a person. */
export function attentionPage(app: FastifyInstance, context: AdministrationContext): void {
  app.get('/attention', { config: { may: 'readOverview' } }, async (request, reply) => {
    const [overview, banks] = await Promise.all([
      readOverview(context.db, context.now()),
      readBanks(context),
    ]);
    const content = html`<h1 id="waiting">Precisa de atenção</h1>${bankAlert(banks)}
      <section aria-labelledby="waiting">${attention(overview, context, request.actor)}</section>`;
    return sendPage(request, reply, {
      title: 'Precisa de atenção',
      section: 'attention',
      content: () => content,
    });
  });
}
