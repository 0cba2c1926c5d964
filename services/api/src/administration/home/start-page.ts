import type { FastifyInstance } from 'fastify';
import type { AdministrationContext } from '../../context.ts';
import { sendPage } from '../kit/send-page.ts';
import { platformStart } from './platform.ts';
import { storeStart } from './store.ts';

/** The start page: the platform's, or a store's own. */
export function startPage(app: FastifyInstance, context: AdministrationContext): void {
  app.get('/', { config: { may: 'anyone' } }, async (request, reply) => {
    const { actor } = request;
    const { storeId } = actor;
    const content =
      storeId === null
        ? await platformStart(context, request)
        : await storeStart(context, { ...actor, storeId });
    return sendPage(request, reply, { title: 'Início', section: 'start', content: () => content });
  });
}
