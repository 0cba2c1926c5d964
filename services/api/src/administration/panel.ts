import formbody from '@fastify/formbody';
import type { FastifyInstance } from 'fastify';
import { authorization } from '../access/authorization.ts';
import type { ApiContext } from '../context.ts';
import { invitationRoutes } from '../people/accounts/invitation-pages.ts';
import { accountsPages } from '../people/accounts/pages.ts';
import { keyPages } from '../people/keys/pages.ts';
import { myAccountPages } from '../people/my-account/pages.ts';
import { secondFactorRoutes } from '../people/second-factor/pages.ts';
import { cookies } from '../people/sessions/cookies.ts';
import { freshProof } from '../people/sessions/fresh-proof.ts';
import { ownOrigin } from '../people/sessions/own-origin.ts';
import { requireFactor } from '../people/sessions/require-factor.ts';
import { requireSession } from '../people/sessions/require-session.ts';
import { sessions } from '../people/sessions/sessions.ts';
import { adminKeyCheck } from '../people/sign-in/admin-key-check.ts';
import { signInRoutes } from '../people/sign-in/pages.ts';
import { passkeyRoutes } from '../people/sign-in/passkey-pages.ts';
import { singleSignOnRoutes } from '../people/single-sign-on/pages.ts';
import { chargeProblemPage } from './banks/charge-problem-page.ts';
import { bankPages } from './banks/pages.ts';
import { reconciliationPages } from './books/reconciliation-pages.ts';
import { totalsPage } from './books/totals-page.ts';
import { unmatchedPixPages } from './books/unmatched-pix-pages.ts';
import { deliveryPages } from './deliveries/pages.ts';
import { attentionPage } from './home/attention-page.ts';
import { startPage } from './home/start-page.ts';
import { statusPage } from './home/status-page.ts';
import { assets } from './kit/assets.ts';
import { errorPages } from './kit/error-pages.ts';
import { pageHeaders } from './kit/headers.ts';
import { paymentPages } from './payments/pages.ts';
import { changePages } from './record/pages.ts';
import { refundOrderPage } from './refunds/order-page.ts';
import { refundsPage } from './refunds/page.ts';
import { reviewPage } from './refunds/review-page.ts';
import { storePages } from './stores/pages.ts';

const signInPages = [signInRoutes, singleSignOnRoutes, secondFactorRoutes, passkeyRoutes, invitationRoutes];
const pluginPages = [reviewPage, refundsPage, refundOrderPage];
const memberPages = [
  startPage,
  attentionPage,
  statusPage,
  ...paymentPages,
  totalsPage,
  unmatchedPixPages,
  chargeProblemPage,
  reconciliationPages,
  ...deliveryPages,
  ...storePages,
  bankPages,
  changePages,
  myAccountPages,
  accountsPages,
  keyPages,
];

// Every form fits many times.
const formLimitBytes = 64 * 1_024;

/** The store administration panel, on the admin listener. */
export async function panel(app: FastifyInstance, { context }: { context: ApiContext }): Promise<void> {
  const hidden = { schema: { hide: true } };
  app.get('/', hidden, async (_request, reply) => reply.redirect('/panel', 302));
  await app.register(assets);
  await app.register(
    async (pages) => {
      // Keeps pages out of the admin API's document.
      pages.addHook('onRoute', (route) => {
        route.schema = { ...route.schema, hide: true };
      });
      pages.removeAllContentTypeParsers();
      await pages.register(formbody, { bodyLimit: formLimitBytes });
      await pages.register(pageHeaders);
      await pages.register(cookies, { context });
      await pages.register(sessions, { context });
      await pages.register(ownOrigin);
      await pages.register(errorPages);
      await pages.register(adminKeyCheck, { context });
      for (const add of signInPages) await add(pages, context);
      await pages.register(async (members) => {
        await members.register(requireSession);
        await members.register(requireFactor, { context });
        await members.register(authorization, { context });
        members.addHook('preHandler', (request, reply, done) =>
          request.method === 'POST' ? members.csrfProtection(request, reply, done) : done(),
        );
        await members.register(freshProof, { context });
        for (const add of memberPages) await add(members, context);
        for (const page of pluginPages) await members.register(page, { context });
      });
    },
    { prefix: '/panel' },
  );
}
