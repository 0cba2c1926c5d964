import formbody from '@fastify/formbody';
import { testBank } from '@payments/domain/route-charge';
import type { FastifyInstance } from 'fastify';
import { authorization } from '../access/authorization.ts';
import type { ApiContext } from '../context.ts';
import { pageHeaders } from '../http/headers.ts';
import { serveAssets } from '../pages/assets.ts';
import { accountPage } from '../people/accounts/account-page.ts';
import { invitationPage } from '../people/accounts/invitation-page.ts';
import { accountsPage } from '../people/accounts/page.ts';
import { forgottenPasswordPage } from '../people/forgotten-password/page.ts';
import { keysPage } from '../people/keys/page.ts';
import { myAccountPage, passkeyPage } from '../people/my-account/page.ts';
import { ownSecondFactorPage } from '../people/my-account/second-factor-page.ts';
import { secondFactorPage } from '../people/second-factor/page.ts';
import { cookies, ownOrigin } from '../people/sessions/cookies.ts';
import { freshProof } from '../people/sessions/fresh-proof.ts';
import { requireFactor } from '../people/sessions/require-factor.ts';
import { requireSession, sessions } from '../people/sessions/sessions.ts';
import { adminKeyCheck } from '../people/sign-in/admin-key.ts';
import { passkeySignInPage, signInPage } from '../people/sign-in/page.ts';
import { singleSignOnPage } from '../people/single-sign-on/page.ts';
import { chargeProblemPage } from './banks/charge-problem-page.ts';
import { banksPage } from './banks/page.ts';
import { reconciliationPage } from './books/reconciliation-page.ts';
import { statementPage } from './books/statement-page.ts';
import { totalsPage } from './books/totals-page.ts';
import { unmatchedPixPage } from './books/unmatched-pix-page.ts';
import { endpointsPage } from './deliveries/endpoint-page.ts';
import { deliveriesPage } from './deliveries/page.ts';
import { startPage } from './home/page.ts';
import { statusPage } from './home/status-page.ts';
import { errorPages, panelAssets, panelAssetsPath } from './kit/layout.ts';
import { paymentsPage } from './payments/list-page.ts';
import { newPaymentPage } from './payments/new-page.ts';
import { paymentFormsPage } from './payments/payment-forms-page.ts';
import { paymentPage } from './payments/payment-page.ts';
import { changesPage } from './record/page.ts';
import { refundOrderPage } from './refunds/order-page.ts';
import { refundsPage } from './refunds/page.ts';
import { reviewPage } from './refunds/review-page.ts';
import { storesPage } from './stores/page.ts';
import { storePage, testEventPage } from './stores/store-page.ts';

const signInPages = [
  signInPage,
  singleSignOnPage,
  secondFactorPage,
  passkeySignInPage,
  invitationPage,
  forgottenPasswordPage,
];
const peoplePages = [myAccountPage, ownSecondFactorPage, passkeyPage, accountsPage, accountPage, keysPage];
const memberPages = [
  storesPage,
  storePage,
  testEventPage,
  startPage,
  statusPage,
  paymentsPage,
  paymentPage,
  paymentFormsPage,
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
      for (const page of signInPages) await pages.register(page, { context });
      await pages.register(async (members) => {
        await members.register(requireSession);
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
