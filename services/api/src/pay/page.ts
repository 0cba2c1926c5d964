import formbody from '@fastify/formbody';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { findForPayer, readChangedFacts } from '@payments/database/payments/payer-pages';
import { findPayment, type StoredPayment } from '@payments/database/payments/payments';
import { isId } from '@payments/domain/identifiers';
import { payerState } from '@payments/domain/payer-state';
import { type TestDeed, testDeeds } from '@payments/domain/test-deeds';
import { doAtTestBank, TestDeedRefused } from '@payments/settlement/charges/test-deed';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type PayerContext, pageAssets } from '../context.ts';
import { addressByLimit, limitByAddress } from '../http/address-limit.ts';
import { asApiError } from '../http/errors/error-answers.ts';
import { errors } from '../http/errors/errors.ts';
import { pageHeaders, pagePolicy } from '../http/headers.ts';
import { addressOf, readAssets, serveAssets } from '../pages/assets.ts';
import { html } from '../pages/html.ts';
import { layout, type PayerAssets, payerPage, type Shown } from './parts.ts';
import { openStreams, sendStates, watchPayments } from './stream.ts';

const onePayment = { schema: { hide: true, params: Type.Object({ id: Type.String() }) } };
// A page beyond these asks again by itself. Many payers share a mobile network's address, but not a payment.
const bounds = { perAddress: 1_000, perPayment: 20, total: 2_500 };
// Most payers pay by then. A page that is left open gives its place to others, and asks while somebody sees it.
const longestMs = 10 * 60_000;
const everyMs = 1_000;

/** `/pay/{id}`, the payer's page, and its stream of states (Contract: payer's page). */
export const payerPages: FastifyPluginAsyncTypebox<{ context: PayerContext }> = async (app, { context }) => {
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

  const show = (reply: FastifyReply, found: Pick<Shown, 'payment' | 'state' | 'refused'>) => {
    // Only a test store's page has a form.
    if (found.payment.test) void reply.header('content-security-policy', pagePolicy({ forms: "'self'" }));
    const page = payerPage({ ...found, now: now(), base });
    return reply.type('text/html; charset=utf-8').send(layout(page, assets));
  };
  app.get('/:id', onePayment, async (request, reply) => show(reply, await find(request, request.params.id)));
  await app.register(async (forms) => {
    await forms.register(formbody, { bodyLimit: 1_024 });
    forms.post('/:id/test', onePayment, async (request, reply) => {
      const found = await find(request, (request.params as { id: string }).id);
      const { id, test } = found.payment;
      const payment = test ? await findPayment(db, id) : undefined;
      const deed = testDeeds.find((one) => one === (request.body as { do?: unknown } | null)?.do);
      if (!payment || !deed) throw errors.paymentNotFound();
      const isDone = await isDoneAtTestBank(context, payment, deed);
      if (!isDone) return show(reply.code(409), { ...found, refused: true });
      return reply.redirect(`${base}/pay/${id}`, 303);
    });
  });
  // HEAD would open a stream that nobody reads.
  const endless = { ...onePayment, exposeHeadRoute: false, config: { unlogged: true, isEndless: true } };
  app.get('/:id/events', endless, async (request, reply) => {
    const { facts, state } = await find(request, request.params.id);
    const leave = streams.enter(await address(request), facts.id);
    if (!leave) throw errors.tooManyRequests(60);
    const until = new Date(now().getTime() + longestMs);
    return sendStates(reply, { facts, state, until, watch, leave });
  });
};

async function isDoneAtTestBank(
  context: PayerContext,
  payment: StoredPayment,
  deed: TestDeed,
): Promise<boolean> {
  try {
    await doAtTestBank(context, payment, { deed, amount: undefined });
    return true;
  } catch (error) {
    if (error instanceof TestDeedRefused) return false;
    throw error;
  }
}

/** @returns a function that finds a request's payment. It throws ApiError 404, or 429 above the limit of an address */
async function limitedFind(app: FastifyInstance, { db, now, payerPagesPerMinute: max }: PayerContext) {
  const limit = max > 0 ? await limitByAddress(app, { max, windowMs: 60_000 }) : async () => undefined;
  return async (request: FastifyRequest, given: string) => {
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

/** Errors below `/pay` are pages, too: people open these addresses. */
function errorPages(app: FastifyInstance, assets: PayerAssets, refused: (kind: string) => void): void {
  const show = (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const { statusCode, kind, headers } = asApiError(error);
    refused(kind);
    if (statusCode >= 500) request.log.error({ err: error }, 'request failed');
    const { title, advice } = told[statusCode] ?? told[503]!;
    const main = html`<main class="quiet" data-end="true"><h1>${title}</h1><p>${advice}</p></main>`;
    return reply
      .code(statusCode)
      .headers(headers)
      .type('text/html; charset=utf-8')
      .send(layout({ title, main }, assets));
  };
  app.setErrorHandler(show);
  app.setNotFoundHandler((request, reply) => show(errors.paymentNotFound(), request, reply));
}

const told: Record<number, { title: string; advice: string }> = {
  404: {
    title: 'Pagamento não encontrado',
    advice: 'Confira o endereço desta página, ou peça outro link à loja.',
  },
  429: { title: 'Muitos acessos agora', advice: 'Aguarde um minuto e recarregue a página.' },
  503: {
    title: 'Página indisponível no momento',
    advice: 'Aguarde um minuto e recarregue a página. Um Pix que você já fez não se perde.',
  },
};

/**
 * The router answers a URL that it can't decode before any plugin sees it, with an error body. Below `/pay` people
 * read the answer, so such a URL becomes one of no payment, whose answer is a page (Contract: payer's page).
 * @returns the URL to route
 */
export function readablePage({ url = '' }: { url?: string | undefined }): string {
  const below = '/pay/';
  return url.startsWith(below) && url.includes('%') && !isReadable(url) ? below : url;
}

function isReadable(url: string): boolean {
  try {
    decodeURI(url.split('?', 1)[0]!);
    return true;
  } catch {
    return false;
  }
}
