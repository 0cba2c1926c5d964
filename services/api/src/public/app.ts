import { isTestBank } from '@payments/domain/route-charge';
import type { FastifyInstance, FastifyPluginAsync } from 'fastify';
import type { Logger } from 'pino';
import { type ApiContext, forPayers, type PublicContext } from '../context.ts';
import { type DocsOptions, docs } from '../docs/complete-document.ts';
import { docsPath, serviceLinks } from '../docs/layout.ts';
import { docsPages } from '../docs/pages.ts';
import { loadShedding } from '../http/bounds.ts';
import { securityHeaders } from '../http/headers.ts';
import { largeAnswers, largeBodies } from '../http/large-messages.ts';
import { healthRoutes } from '../http/probes.ts';
import { createServer, draining } from '../http/server.ts';
import { payerPages } from '../pay/page.ts';
import { EventList, eventsApi } from './events/api.ts';
import { eventSchemas, webhooks } from './events/webhooks.ts';
import { paymentsApi } from './payments/api.ts';
import { readSchemas, sharedSchemas } from './payments/schemas.ts';
import { pixCallback } from './pix-callback/api.ts';
import { qrApi } from './qr/api.ts';
import { refundSchemas, refundsApi } from './refunds/api.ts';
import { storeAuthentication } from './store-authentication.ts';
import { testDeedSchemas, testDeedsApi } from './test-deeds/api.ts';

/** @returns the public listener: the stores' interface, its docs, QR images, payers' pages, the PSP's callback, health */
export async function buildPublicApp(
  context: ApiContext,
  log: Logger,
  serves: { callback: boolean } = { callback: true },
): Promise<FastifyInstance> {
  const { httpMetrics: metrics, trustProxy, keepAliveSeconds } = context;
  const app = await createServer({
    log,
    metrics,
    listener: 'public',
    trustProxy,
    keepAliveSeconds,
    docs: serviceLinks(docsPath(context.publicUrl)),
    pages: '/pay/',
  });
  await app.register(draining, { isAccepting: context.isAccepting });
  for (const schema of [
    ...sharedSchemas,
    ...readSchemas,
    ...refundSchemas,
    EventList,
    ...eventSchemas,
    ...testDeedSchemas,
  ])
    app.addSchema(schema);
  await app.register(securityHeaders);
  await app.register(docs, publicDocument(context.publicUrl));
  await app.register(docsPages, {
    url: context.publicUrl,
    isForStores: true,
    tokenFile: context.docsTokenFile,
    simulatorUrl: context.docsSimulatorUrl,
    securityContact: context.securityContact,
    now: context.now,
  });
  await app.register(storesApi, { prefix: '/api-public', context });
  await app.register(qrApi, { context: forPayers(context) });
  await app.register(payerPages, { prefix: '/pay', context: forPayers(context) });
  // The test bank stands beside this service, and has no certificate of a bank's: it never calls at the door.
  const takes = ({ id }: { id: string }) => serves.callback || isTestBank(id);
  await app.register(pixCallback, { context, takes });
  await app.register(healthRoutes, { context });
  return app;
}

/** All that stores do with their tokens. Every route needs one. */
const storesApi: FastifyPluginAsync<{ context: PublicContext }> = async (app, { context }) => {
  await app.register(loadShedding, { loadClock: context.loadClock });
  await app.register(storeAuthentication, { context });
  await app.register(largeBodies, { senderOf: ({ store }) => store.id });
  await app.register(largeAnswers, { readerOf: ({ store }) => store.id });
  await app.register(paymentsApi, { context });
  await app.register(refundsApi, { context });
  await app.register(eventsApi, { context });
  await app.register(testDeedsApi, { context });
};

/** The public document's own texts, in Markdown. */
const description = `Charge customers by Pix, Brazil’s instant payment, and learn the result by webhook or by polling.

1. You send \`POST /api-public/payments\` with an amount. The response has a copy-and-paste code and the URL of its QR image.
2. The customer pays with any bank’s app.
3. You receive a signed webhook at the payment’s \`webhookUrl\`, or read the payment. Only \`approved\` means that the money is there.

Amounts are in BRL, as JSON numbers with at most two decimals. Times are ISO 8601 in UTC. Every error has a body of exactly \`statusCode\` and \`message\`, including the 404 of an unknown path or method. Clients should tolerate unknown fields.`;

const tokenDescription =
  'A store’s token, from the store administration panel. Only the newest token works: generating one invalidates ' +
  'the previous one at once. A token gives access to its own store only.';

/** @param url the service's address for stores, or `/` for the document's own host */
function publicDocument(url: string): DocsOptions {
  return {
    title: 'Public Payments Service',
    description,
    servers: [{ url, description: 'The service' }],
    tags: [
      { name: 'Payments', description: 'Create, read, list and cancel the payments of the token’s store.' },
      { name: 'Refunds', description: 'Give back what a customer paid, and see what went back.' },
      { name: 'Events', description: 'Everything that happened to the store’s payments, in order.' },
      {
        name: 'Test stores',
        description: 'Make the test bank act, with a token that begins with `pp_test_`.',
      },
      { name: 'QR code', description: 'Images of codes, to embed in pages. No token needed.' },
      { name: 'Webhooks', description: 'Requests that the service sends to a payment’s `webhookUrl`.' },
      { name: 'Health', description: 'For orchestrators and monitors. No token needed.' },
    ],
    webhooks,
    bearer: { description: tokenDescription, format: 'pp_…' },
  };
}
