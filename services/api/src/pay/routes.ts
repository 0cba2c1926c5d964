import { findForPayer, readChangedFacts } from '@payments/database/payments/payer-pages';
import { isId } from '@payments/domain/identifiers';
import { payerState } from '@payments/domain/payer-state';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { PayerContext } from '../context.ts';
import { addressByLimit, limitByAddress } from '../http/address-limit.ts';
import { errors } from '../http/errors/errors.ts';
import { addressOf, readAssets, serveAssets } from '../pages/assets.ts';
import { pageHeaders } from '../pages/headers.ts';
import { pageAssets } from '../shipped-files.ts';
import { errorPages } from './error-pages.ts';
import { layout } from './layout.ts';
import { openStreams } from './open-streams.ts';
import { payerPage } from './page.ts';
import { sendStates } from './stream.ts';
import { watchPayments } from './watch-payments.ts';

type Params = { Params: { id: string } };

const hidden = { schema: { hide: true } };
// A page beyond these asks again by itself. Many payers share a mobile network's address, but not a payment.
const bounds = { perAddress: 1_000, perPayment: 20, total: 2_500 };
// Most payers pay by then. A page that is left open gives its place to others, and asks while somebody sees it.
const longestMs = 10 * 60_000;
const everyMs = 1_000;

/** `/pay/{id}`, the payer's page, and its stream of states (Contract: payer's page). */
export async function payerPages(
  app: FastifyInstance,
  { context }: { context: PayerContext },
): Promise<void> {
  const { db, now, isAccepting } = context;
  const base = new URL(context.publicUrl, 'http://localhost').pathname.replace(/\/$/, '');
  const files = readAssets(pageAssets, ['pay/pay.css', 'pay/pay.js', 'icon.svg']);
  const at = (name: string) => addressOf(files, `${base}/pay/assets`, name);
  const assets = { style: at('pay.css'), script: at('pay.js'), icon: at('icon.svg') };
  const find = await limitedFind(app, context);
  const address = await addressByLimit(app);
  const streams = openStreams(bounds);
  const watch = watchPayments({
    read: (known) => readChangedFacts(db, known),
    ...{ now, everyMs, isAccepting },
    onError: (error) => context.log.warn({ err: error }, 'open pages could not be told of their payments'),
  });
  app.addHook('preClose', watch.close);
  // No search engine lists payers' pages.
  await app.register(pageHeaders, { headers: { 'x-robots-tag': 'noindex' } });
  errorPages(app, assets, context.httpMetrics.refused);
  serveAssets(app, files, '/assets');

  app.get<Params>('/:id', hidden, async (request, reply) => {
    const { payment, state } = await find(request);
    const page = payerPage({ payment, state, now: now(), base });
    return reply.type('text/html; charset=utf-8').send(layout(page, assets));
  });
  // HEAD would open a stream that nobody reads.
  const endless = { ...hidden, exposeHeadRoute: false, config: { unlogged: true, isEndless: true } };
  app.get<Params>('/:id/events', endless, async (request, reply) => {
    const { facts, state } = await find(request);
    const leave = streams.enter(await address(request), facts.id);
    if (!leave) throw errors.tooManyRequests(60);
    const until = new Date(now().getTime() + longestMs);
    return sendStates(reply, { facts, state, until, watch, leave });
  });
}

/** @returns a function that finds a request's payment. It throws ApiError 404, or 429 above the limit of an address */
async function limitedFind(app: FastifyInstance, { db, now, payerPagesPerMinute: max }: PayerContext) {
  const limit = max > 0 ? await limitByAddress(app, { max, windowMs: 60_000 }) : async () => undefined;
  return async (request: FastifyRequest<Params>) => {
    const given = request.params.id;
    if (!isId(given)) throw errors.paymentNotFound();
    const waitSeconds = await limit(request);
    if (waitSeconds !== undefined) throw errors.tooManyRequests(waitSeconds);
    const payment = await findForPayer(db, given);
    if (!payment) throw errors.paymentNotFound();
    const { id, status, copyAndPaste, expiresAt } = payment;
    const facts = { id, status, expiresAt, hasCode: copyAndPaste !== null };
    return { payment, facts, state: payerState(facts, now()) };
  };
}
