import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { accountRoutes } from './admin/accounts/routes.ts';
import { bankRoutes } from './admin/banks/routes.ts';
import { changeRoutes } from './admin/changes/routes.ts';
import { chargeProblemsRoute } from './admin/charge-problems/route.ts';
import { redeliverRoutes } from './admin/deliveries/redeliver.routes.ts';
import { deliveryRoutes } from './admin/deliveries/routes.ts';
import { endpointRoutes } from './admin/endpoints/routes.ts';
import examples from './admin/examples.json' with { type: 'json' };
import { keyRoutes } from './admin/keys/routes.ts';
import { metricsRoute } from './admin/metrics.ts';
import { overviewRoute } from './admin/overview/route.ts';
import { adminPaymentRoutes } from './admin/payments/routes.ts';
import { personalDataRoutes } from './admin/personal-data/routes.ts';
import { reconciliationRoute } from './admin/reconciliation/route.ts';
import { refundRoutes } from './admin/refunds/routes.ts';
import { reviewRoute } from './admin/reviews/route.ts';
import { adminSchemas } from './admin/schemas.ts';
import { statementRoutes } from './admin/statements/routes.ts';
import { storeRoutes } from './admin/stores/routes.ts';
import { adminTags } from './admin/tags.ts';
import { tokenRoutes } from './admin/tokens/routes.ts';
import { totalsRoute } from './admin/totals/route.ts';
import { unmatchedPixRoutes } from './admin/unmatched-pix/routes.ts';
import { webhookSecretRoutes } from './admin/webhook-secrets/routes.ts';
import { adminAuthentication } from './authentication/admin-authentication.ts';
import { authorization } from './authentication/authorization.ts';
import { type ApiContext, aside } from './context.ts';
import { docs } from './docs/openapi.ts';
import { docsPages } from './docs/pages.ts';
import { draining } from './draining.ts';
import { healthRoutes } from './health/routes.ts';
import { panel } from './panel/panel.ts';
import { sharedSchemas } from './payments/schemas.ts';
import { compileValidator } from './schema-validation.ts';
import { securityHeaders } from './security-headers.ts';
import { createServer } from './server.ts';

const operations = [
  overviewRoute,
  storeRoutes,
  bankRoutes,
  totalsRoute,
  statementRoutes,
  tokenRoutes,
  webhookSecretRoutes,
  ...adminPaymentRoutes,
  reviewRoute,
  ...refundRoutes,
  unmatchedPixRoutes,
  chargeProblemsRoute,
  reconciliationRoute,
  deliveryRoutes,
  redeliverRoutes,
  endpointRoutes,
  accountRoutes,
  keyRoutes,
  personalDataRoutes,
  changeRoutes,
];

export type AdminListener = { panel: boolean; metrics: boolean };

/** @returns the admin listener: the administration API, and the panel and metrics where they have no port of their own */
export async function buildAdminApp(
  context: ApiContext,
  log: Logger,
  serves: AdminListener = { panel: true, metrics: true },
): Promise<FastifyInstance> {
  const { httpMetrics: metrics, trustProxy, keepAliveSeconds } = context;
  const administration = aside(context);
  const app = await createServer({ log, metrics, listener: 'admin', trustProxy, keepAliveSeconds });
  await app.register(draining, { isAccepting: context.isAccepting });
  const named = [...sharedSchemas, ...adminSchemas];
  for (const schema of named) app.addSchema(schema);
  app.setValidatorCompiler(({ schema }) => compileValidator({ schema, references: named }));
  await app.register(securityHeaders);
  await app.register(docs, {
    title: 'Public Payments Service: administration',
    description: 'Stores, tokens, payments and deliveries, for administrators.',
    servers: [{ url: '/', description: 'This port' }],
    tags: adminTags,
    examples,
    bearer: { description: 'A key of `POST /admin/keys`, or the value of `ADMIN_KEY`.' },
  });
  await app.register(docsPages, { url: '/', isForStores: false, tokenFile: undefined });
  await app.register(healthRoutes, { context });
  if (serves.metrics) await app.register(metricsRoute, { register: context.register });
  await app.register(
    async (scope) => {
      // Secrets and personal data are nothing for a browser's or proxy's disk.
      scope.addHook('onRequest', async (_request, reply) => void reply.header('cache-control', 'no-store'));
      scope.addHook('onRoute', (route) => {
        route.schema = { ...route.schema, security: [{ bearer: [] }] };
      });
      await scope.register(adminAuthentication, { context: administration });
      await scope.register(authorization, { context: administration, via: 'api' });
      for (const add of operations) add(scope, administration);
    },
    { prefix: '/admin' },
  );
  if (serves.panel) await app.register(panel, { context: administration });
  return app;
}
