import { createSender } from '@payments/webhooks/sender';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { storeOr404 } from '../../access/own.ts';
import type { AdministrationContext } from '../../context.ts';
import { boundBy } from '../../http/address-limit.ts';
import { atMost } from '../../http/at-most.ts';
import { readWebhookUrl } from '../../public/payments/new-payment.ts';
import { attempt, textOf } from '../kit/form-values.ts';
import { showStoreTab, type TabRequest } from './show-store-tab.ts';
import { sendTestEvent } from './test-event.ts';

// A person waits for the answer, and a real receiver answers quickly.
const timeoutMs = 10_000;
const perMinute = 10;
const busy = 'Muitos testes em pouco tempo. Tente de novo em um minuto.';

/** Sends a test event to a receiver by the way of the real ones: never to an internal address. */
export async function testEventRoute(app: FastifyInstance, context: AdministrationContext): Promise<void> {
  const sender = createSender({ ...context.webhooks, timeoutMs });
  app.addHook('onClose', () => sender.close());
  const inTurn = atMost({ running: 4, waiting: 8 });
  const keyOf = ({ params }: FastifyRequest) => (params as { id: string }).id;
  const isWithin = await boundBy(app, { max: perMinute, windowMs: 60_000, keyOf });
  const testing = { config: { may: 'manageWebhookSecret' as const } };
  app.post('/stores/:id/test-event', testing, async (request: TabRequest, reply) => {
    const { id: storeId } = await storeOr404(context, request.actor, request.params.id);
    const typed = textOf(request.body, 'webhookUrl');
    const { result: url, wrong } = await attempt(() => readWebhookUrl(typed, context.webhooks));
    if (wrong) return showStoreTab(context, request, reply.code(400), { wrong, tested: { url: typed } });
    const send = () => sendTestEvent(context, sender, { storeId, url: url ?? '' });
    const sent = (await isWithin(request)) ? inTurn(send) : undefined;
    if (!sent)
      return showStoreTab(context, request, reply.code(429), { tested: { url: typed, refused: busy } });
    return showStoreTab(context, request, reply, { tested: { url: typed, result: await sent } });
  });
}
