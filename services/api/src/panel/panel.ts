import formbody from '@fastify/formbody';
import type { FastifyInstance } from 'fastify';
import { authorization } from '../authentication/authorization.ts';
import type { ApiContext } from '../context.ts';
import { accountsPages } from './accounts/routes.ts';
import { attentionPage } from './attention/route.ts';
import { bankPages } from './banks/routes.ts';
import { changePages } from './changes/routes.ts';
import { chargeProblemPage } from './charge-problems/route.ts';
import { deliveryPages } from './deliveries/routes.ts';
import { keyPages } from './keys/routes.ts';
import { myAccountPages } from './my-account/routes.ts';
import { assets } from './page/assets.ts';
import { errorPages } from './page/error-pages.ts';
import { pageHeaders } from './page/headers.ts';
import { paymentPages } from './payments/routes.ts';
import { reconciliationPages } from './reconciliation/routes.ts';
import { refundPages } from './refunds/routes.ts';
import { reviewPages } from './reviews/routes.ts';
import { adminKeyCheck } from './session/admin-key-check.ts';
import { cookies } from './session/cookies.ts';
import { freshProof } from './session/fresh-proof.ts';
import { invitationRoutes } from './session/invitation.routes.ts';
import { ownOrigin } from './session/own-origin.ts';
import { passkeyRoutes } from './session/passkey.routes.ts';
import { requireFactor } from './session/require-factor.ts';
import { requireSession } from './session/require-session.ts';
import { secondFactorRoutes } from './session/second-factor.routes.ts';
import { sessions } from './session/sessions.ts';
import { signInRoutes } from './session/sign-in.routes.ts';
import { singleSignOnRoutes } from './session/single-sign-on.routes.ts';
import { startPage } from './start/route.ts';
import { statusPage } from './status/route.ts';
import { storePages } from './stores/routes.ts';
import { totalsPage } from './totals/route.ts';
import { unmatchedPixPages } from './unmatched-pix/routes.ts';

const signInPages = [signInRoutes, singleSignOnRoutes, secondFactorRoutes, passkeyRoutes, invitationRoutes];
const memberPages = [
  startPage,
  attentionPage,
  statusPage,
  ...paymentPages,
  totalsPage,
  reviewPages,
  refundPages,
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
        await members.register(authorization, { context, via: 'panel' });
        members.addHook('preHandler', (request, reply, done) =>
          request.method === 'POST' ? members.csrfProtection(request, reply, done) : done(),
        );
        await members.register(freshProof, { context });
        for (const add of memberPages) await add(members, context);
      });
    },
    { prefix: '/panel' },
  );
}
