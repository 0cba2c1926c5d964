import formbody from '@fastify/formbody';
import { testBank } from '@payments/domain/route-charge';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { authorization, callsOfActor } from '../access/authorization.ts';
import { type ApiContext, aside } from '../context.ts';
import { addressTurns, callerTurns } from '../http/bounds.ts';
import { pageHeaders, securityHeaders } from '../http/headers.ts';
import { largeAnswers } from '../http/large-messages.ts';
import { healthRoutes } from '../http/probes.ts';
import { createServer, draining } from '../http/server.ts';
import { serveAssets } from '../pages/assets.ts';
import { accountPage, accountsPage, invitationPage } from '../people/accounts/page.ts';
import { keysPage } from '../people/keys/page.ts';
import { myAccountPage, ownSecondFactorPage, passkeyPage } from '../people/my-account/page.ts';
import { freshProof } from '../people/sessions/fresh-proof.ts';
import { cookies, ownOrigin, requireFactor, requireSession, sessions } from '../people/sessions/sessions.ts';
import { adminKeyCheck } from '../people/sign-in/admin-key.ts';
import { signInPages } from '../people/sign-in/page.ts';
import { singleSignOnPage } from '../people/single-sign-on/page.ts';
import { banksPage, chargeProblemPage } from './banks/page.ts';
import { reconciliationPage } from './books/reconciliation-page.ts';
import { statementPage, totalsPage } from './books/totals-page.ts';
import { unmatchedPixPage } from './books/unmatched-pix-page.ts';
import { deliveriesPage, endpointsPage } from './deliveries/page.ts';
import { startPage, statusPage } from './home/page.ts';
import { errorPages, panelAssets, panelAssetsPath } from './kit/layout.ts';
import { newPaymentPage, paymentsPage } from './payments/list-page.ts';
import { paymentActions } from './payments/payment-forms.ts';
import { paymentPage } from './payments/payment-page.ts';
import { changesPage } from './record/page.ts';
import { refundOrderPage } from './refunds/order-page.ts';
import { refundsPage, reviewPage } from './refunds/page.ts';
import { storePage, storesPage, testEventPage } from './stores/page.ts';

const openPages = [...signInPages, singleSignOnPage, invitationPage];
const peoplePages = [myAccountPage, ownSecondFactorPage, passkeyPage, accountsPage, accountPage, keysPage];
const memberPages = [
  storesPage,
  storePage,
  testEventPage,
  startPage,
  statusPage,
  paymentsPage,
  paymentPage,
  paymentActions,
  newPaymentPage,
  reviewPage,
  refundsPage,
  refundOrderPage,
  deliveriesPage,
  endpointsPage,
  totalsPage,
  unmatchedPixPage,
  chargeProblemPage,
  reconciliationPage,
  statementPage,
  banksPage,
  changesPage,
];

export const panelPages = '/panel/';

// Every form fits many times.
const formLimitBytes = 64 * 1_024;

/** The store administration panel, on the admin listener. */
export async function panel(app: FastifyInstance, { context }: { context: ApiContext }): Promise<void> {
  const hidden = { schema: { hide: true } };
  app.get('/', hidden, async (_request, reply) => reply.redirect('/panel', 302));
  serveAssets(app, panelAssets, panelAssetsPath);
  await app.register(
    async (pages) => {
      // Keeps pages out of the admin API's document.
      pages.addHook('onRoute', (route) => {
        route.schema = { ...route.schema, hide: true };
      });
      pages.decorateRequest('hasTestBank');
      pages.addHook('onRequest', async (request) => {
        request.hasTestBank = context.banks.find(testBank) !== undefined;
      });
      pages.removeAllContentTypeParsers();
      await pages.register(formbody, { bodyLimit: formLimitBytes });
      await pages.register(pageHeaders, {
        sources: { forms: "'self'" },
        // Hides our addresses from other sites, but keeps the Origin header that protects posts.
        headers: { 'referrer-policy': 'same-origin' },
      });
      await pages.register(cookies, { context });
      await pages.register(sessions, { context });
      await pages.register(ownOrigin);
      await pages.register(errorPages);
      await pages.register(adminKeyCheck, { context });
      for (const page of openPages) await pages.register(page, { context });
      await pages.register(async (members) => {
        await members.register(requireSession, { context });
        await members.register(callerTurns, callsOfActor);
        await members.register(largeAnswers, { readerOf: callsOfActor.callerOf });
        await members.register(requireFactor, { context });
        await members.register(authorization, { context });
        members.addHook('preHandler', (request, reply, done) =>
          request.method === 'POST' ? members.csrfProtection(request, reply, done) : done(),
        );
        await members.register(freshProof, { context });
        for (const page of memberPages) await members.register(page, { context });
        for (const page of peoplePages) await members.register(page, { context });
      });
    },
    { prefix: '/panel' },
  );
}

/** @returns a listener with the panel and its health alone: it may be published while the administration API stays inside */
export async function buildPanelApp(context: ApiContext, log: Logger): Promise<FastifyInstance> {
  const { httpMetrics: metrics, trustProxy, keepAliveSeconds } = context;
  const limits = { trustProxy, keepAliveSeconds };
  const app = await createServer({ log, metrics, listener: 'panel', ...limits, pages: panelPages });
  await app.register(addressTurns);
  await app.register(draining, { isAccepting: context.isAccepting });
  await app.register(securityHeaders);
  await app.register(healthRoutes, { context });
  await app.register(panel, { context: aside(context) });
  return app;
}
