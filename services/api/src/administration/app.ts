import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { adminAuthentication, authorization, callsOfActor } from '../access/authorization.ts';
import { type ApiContext, aside } from '../context.ts';
import { docs } from '../docs/complete-document.ts';
import { docsPages } from '../docs/pages.ts';
import { compileValidator } from '../http/answers.ts';
import { addressTurns, callerTurns } from '../http/bounds.ts';
import { CsvTable } from '../http/csv.ts';
import { securityHeaders } from '../http/headers.ts';
import { largeAnswers, largeBodies } from '../http/large-messages.ts';
import { healthRoutes, metricsRoute } from '../http/probes.ts';
import { createServer, draining } from '../http/server.ts';
import { accountsApi } from '../people/accounts/api.ts';
import { accountSchemas } from '../people/accounts/fields.ts';
import { personalDataApi, personalDataSchemas } from '../people/erasure/api.ts';
import { keySchemas } from '../people/keys/actions.ts';
import { keysApi } from '../people/keys/api.ts';
import { Payment, sharedSchemas } from '../public/payments/schemas.ts';
import { banksApi } from './banks/api.ts';
import { bankSchemas, chargeProblemSchemas } from './banks/schemas.ts';
import { reconciliationApi, totalsApi, unmatchedPixApi } from './books/api.ts';
import {
  reconciliationSchemas,
  statementSchemas,
  totalsSchemas,
  unmatchedPixSchemas,
} from './books/schemas.ts';
import { deliveriesApi } from './deliveries/api.ts';
import { deliverySchemas } from './deliveries/schemas.ts';
import examples from './examples.json' with { type: 'json' };
import { overviewApi, overviewSchemas } from './home/api.ts';
import { noticeSchemas, noticesApi } from './notices/api.ts';
import { panel, panelPages } from './panel.ts';
import { paymentsApi } from './payments/api.ts';
import { paymentSchemas } from './payments/schemas.ts';
import { recordApi } from './record/api.ts';
import { changeSchemas } from './record/schemas.ts';
import { refundsApi } from './refunds/api.ts';
import { refundSchemas } from './refunds/schemas.ts';
import { storesApi, tokensApi, webhookSecretApi } from './stores/api.ts';
import { storeSchemas, tokenSchemas, webhookSecretSchemas } from './stores/schemas.ts';

/** Groups of the admin API's operations. */
export const adminTags = [
  { name: 'Overview', description: 'Counts of what waits, and for whom.' },
  { name: 'Stores', description: 'Stores and the terms of their payments.' },
  { name: 'Tokens', description: 'Stores’ access tokens. Only the newest works.' },
  { name: 'Webhook secrets', description: 'The secrets that sign a store’s webhooks.' },
  { name: 'Banks', description: 'The banks that take charges, their state, and their pause.' },
  { name: 'Payments', description: 'Find, read and create payments of any store, and change their status.' },
  { name: 'Totals', description: 'Sums by day, store and status, and each store’s statement.' },
  { name: 'Refunds', description: 'Refunds of payments and of unmatched Pix.' },
  { name: 'Reconciliation', description: 'A bank’s days beside ours (conciliação).' },
  { name: 'Deliveries', description: 'Webhook deliveries, their attempts, and failing receivers.' },
  { name: 'Notices', description: 'Mails to people, and posts to the platform’s webhook.' },
  { name: 'Accounts', description: 'People’s accounts at the panel, each with a role.' },
  { name: 'Keys', description: 'Keys of programs, each with a role.' },
  { name: 'Personal data', description: 'What is known of a person, and its erasure.' },
  { name: 'Changes', description: 'The record: who did what, and when.' },
  { name: 'Health', description: 'For orchestrators and monitors. No key needed.' },
];

const apis = [
  overviewApi,
  storesApi,
  tokensApi,
  webhookSecretApi,
  paymentsApi,
  refundsApi,
  banksApi,
  totalsApi,
  reconciliationApi,
  unmatchedPixApi,
  deliveriesApi,
  noticesApi,
  recordApi,
];
const peopleApis = [accountsApi, keysApi, personalDataApi];

/** The named schemas of the admin API's document. */
const adminSchemas = [
  ...storeSchemas,
  ...bankSchemas,
  ...tokenSchemas,
  ...webhookSecretSchemas,
  ...paymentSchemas,
  ...refundSchemas,
  ...unmatchedPixSchemas,
  ...chargeProblemSchemas,
  ...reconciliationSchemas,
  ...deliverySchemas,
  ...noticeSchemas,
  ...changeSchemas,
  ...accountSchemas,
  ...keySchemas,
  ...personalDataSchemas,
  ...overviewSchemas,
  ...totalsSchemas,
  ...statementSchemas,
  CsvTable,
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
  const limits = { trustProxy, keepAliveSeconds };
  const app = await createServer({ log, metrics, listener: 'admin', ...limits, pages: panelPages });
  await app.register(addressTurns);
  await app.register(draining, { isAccepting: context.isAccepting });
  const named = [...sharedSchemas, Payment, ...adminSchemas];
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
  await app.register(docsPages, {
    url: '/',
    isForStores: false,
    tokenFile: undefined,
    now: context.now,
  });
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
      await scope.register(callerTurns, callsOfActor);
      await scope.register(authorization, { context: administration });
      await scope.register(largeBodies, { senderOf: callsOfActor.callerOf });
      await scope.register(largeAnswers, { readerOf: callsOfActor.callerOf });
      for (const api of apis) await scope.register(api, { context: administration });
      for (const api of peopleApis) await scope.register(api, { context: administration });
    },
    { prefix: '/admin' },
  );
  if (serves.panel) await app.register(panel, { context: administration });
  return app;
}
