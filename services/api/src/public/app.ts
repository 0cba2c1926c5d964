import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { type ApiContext, forPayers } from '../context.ts';
import { docs } from '../docs/openapi.ts';
import { docsPages } from '../docs/pages.ts';
import { publicDocument } from '../docs/public-document.ts';
import { draining } from '../http/draining.ts';
import { healthRoutes } from '../http/health.ts';
import { securityHeaders } from '../http/security-headers.ts';
import { createServer } from '../http/server.ts';
import { readablePage } from '../pay/readable-page.ts';
import { payerPages } from '../pay/routes.ts';
import { eventSchemas } from './payments/events.ts';
import { paymentRoutes } from './payments/routes.ts';
import { PaymentList, sharedSchemas } from './payments/schemas.ts';
import { pixCallback } from './pix-callback/route.ts';
import { qrRoutes } from './qr/route.ts';

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
    rewriteUrl: readablePage,
  });
  await app.register(draining, { isAccepting: context.isAccepting });
  for (const schema of [...sharedSchemas, PaymentList, ...eventSchemas]) app.addSchema(schema);
  await app.register(securityHeaders);
  await app.register(docs, publicDocument(context.publicUrl));
  await app.register(docsPages, {
    url: context.publicUrl,
    isForStores: true,
    tokenFile: context.docsTokenFile,
    simulatorUrl: context.docsSimulatorUrl,
  });
  await app.register(paymentRoutes, { prefix: '/api-public', context });
  await app.register(qrRoutes, { context: forPayers(context) });
  await app.register(payerPages, { prefix: '/pay', context: forPayers(context) });
  if (serves.callback) await app.register(pixCallback, { context });
  await app.register(healthRoutes, { context });
  return app;
}
