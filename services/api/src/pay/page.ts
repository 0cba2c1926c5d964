import formbody from '@fastify/formbody';
import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import {
  findForPayer,
  type PayerPayment,
  type PayersMoney,
  readChangedFacts,
  readPayersMoney,
} from '@payments/database/payments/payer-pages';
import { findPayment, type StoredPayment } from '@payments/database/payments/payments';
import { isId } from '@payments/domain/identifiers';
import { isEndState, type PayerState, payerState } from '@payments/domain/payer-state';
import { type TestDeed, testDeeds } from '@payments/domain/route-charge';
import { doAtTestBank, TestDeedRefused } from '@payments/settlement/charges/test-deed';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type PayerContext, pageAssets } from '../context.ts';
import { addressByLimit, addressTurns, limitByAddress } from '../http/bounds.ts';
import { asApiError } from '../http/errors/error-answers.ts';
import { errors } from '../http/errors/errors.ts';
import { pageHeaders, pagePolicy } from '../http/headers.ts';
import { addressOf, readAssets, serveAssets } from '../pages/assets.ts';
import { formatBrl, html, htmlDocument, nothing, type SafeHtml, timeText } from '../pages/html.ts';
import { openStreams, sendStates, watchPayments } from './stream.ts';

const reloadSeconds = 10;

export type Shown = {
  payment: PayerPayment;
  state: PayerState;
  /** Given once the payment is paid. */
  money?: PayersMoney | undefined;
  now: Date;
  base: string;
  /** Whether the simulated bank could not do what was just asked. */
  refused?: boolean;
};

/** @returns a payment's page for its payer: what to do, or how it ended */
export function payerPage(shown: Shown): PayerDocument {
  const { payment, state, base } = shown;
  const { title, mark, content } = parts[state](shown);
  const tested = payment.test ? html`<p class="test">TESTE</p>` : nothing;
  const address = `${base}/pay/${payment.id}`;
  const main = html`<main class="${mark}" data-state="${state}" data-end="${String(state === 'paid')}"
    data-events="${address}/events">
    ${tested}<p class="store">${payment.storeName}</p>
    <h1>${title}</h1>
    ${content}
    ${payment.test && payment.copyAndPaste !== null ? deeds(shown) : nothing}
  </main>`;
  return {
    title: `${payment.test ? 'TESTE · ' : ''}${title} · ${payment.storeName}`,
    main,
    reloadsFrom: isEndState(state) ? undefined : address,
  };
}

type Part = { title: string; mark: 'open' | 'good' | 'wait' | 'quiet'; content: SafeHtml };

const parts: Record<PayerState, (shown: Shown) => Part> = {
  waiting: (shown) => ({
    title: `Pague ${brl(shown.payment.amount)} com Pix`,
    mark: 'open',
    content: payable(shown),
  }),
  preparing: (shown) => ({
    title: 'Preparando o código Pix',
    mark: 'wait',
    content: html`<p>O banco está registrando a cobrança de ${brl(shown.payment.amount)}. O código aparece aqui em instantes.</p>`,
  }),
  overdue: () => ({
    title: 'O prazo para pagar terminou',
    mark: 'quiet',
    content: html`<p>Não pague mais este código.</p>
      <p>Se você já pagou, a confirmação aparece aqui em alguns minutos.</p>`,
  }),
  review: (shown) => ({
    title: 'Pagamento em análise',
    mark: 'wait',
    content: html`<p>Recebemos um Pix para a cobrança de ${brl(shown.payment.amount)}. Não é preciso pagar de novo.</p>
      <p>A análise costuma levar até 30 minutos. Se o pagamento não for aprovado, o dinheiro volta para a sua conta.</p>`,
  }),
  paid: (shown) => ({
    title: 'Pagamento confirmado',
    mark: 'good',
    content: html`<p class="value">${brl(receivedIn(shown))}</p>
      ${shown.money && shown.money.returned > 0 && html`<p>Devolvido: ${brl(shown.money.returned)}.</p>`}
      <p>O seu Pix para <bdi>${shown.payment.storeName}</bdi> foi recebido. Você pode fechar esta página.</p>`,
  }),
  closed: ({ payment: { storeName } }) => ({
    title: 'Pagamento não aprovado',
    mark: 'quiet',
    content: html`<p>O prazo terminou ou o pagamento não pôde ser aceito. Não pague mais este código.</p>
      <p>Se você já pagou, o banco ainda pode confirmar o Pix. Se não confirmar, o dinheiro volta para a sua conta.</p>
      <p>Para tentar de novo, peça outro código a <bdi>${storeName}</bdi>.</p>`,
  }),
};

const brl = (centavos: number) => formatBrl(centavos).replace(' ', '\u00a0');

/** The amount of a payment is the store's: less what went back. A payer's receipt says what was sent. */
const receivedIn = ({ payment, money }: Shown): number => money?.received || payment.amount;

/** How to pay: the time left, the code as a picture and as text, and the steps in the bank's app. */
export function payable({ payment, now, base }: Shown): SafeHtml {
  const { id, copyAndPaste, expiresAt } = payment;
  const secondsLeft = Math.max(0, Math.ceil((expiresAt.getTime() - now.getTime()) / 1_000));
  return html`<p class="muted">Válido até <time datetime="${expiresAt.toISOString()}">${timeText(expiresAt)}</time>
      <span data-seconds-left="${secondsLeft}"></span></p>
    <img class="qr" src="${base}/qr/${id}.svg" alt="QR Code do Pix" width="240" height="240">
    <div class="code">
      <label for="code">Pix copia e cola</label>
      <textarea id="code" rows="5" readonly spellcheck="false">${copyAndPaste}</textarea>
      <button type="button" data-copy="code" hidden>Copiar código</button>
      <p class="advice" data-copy-advice hidden></p>
    </div>
    <ol>
      <li>Abra o aplicativo do seu banco.</li>
      <li>Na área Pix, leia o QR Code, ou escolha “Pix copia e cola” e cole o código.</li>
      <li>Confira o valor e confirme.</li>
    </ol>
    <p class="muted">A confirmação aparece aqui, sem recarregar a página.</p>
    <noscript><p class="muted">Sem JavaScript: toque e segure o código para copiar. A página recarrega sozinha a cada 10 segundos.</p></noscript>`;
}

const deedNames: Record<TestDeed, string> = {
  pay: 'Pagar',
  pay_other_amount: 'Pagar outro valor',
  pay_late: 'Pagar depois do prazo',
  pay_twice: 'Pagar duas vezes',
  take_back: 'Devolver pelo banco (MED)',
};

/** The deeds of the simulated bank on a test store's payment, each by its button (Contract: test stores). */
function deeds({ payment: { id }, base, refused }: Shown): SafeHtml {
  const button = (deed: TestDeed) => html`<button name="do" value="${deed}">${deedNames[deed]}</button>`;
  return html`<form class="deeds" method="post" action="${base}/pay/${id}/test">
    <p>Nenhum dinheiro de verdade se move aqui. O banco simulado faz:</p>
    ${refused ? html`<p role="alert">O banco de testes não pôde fazer isso com este pagamento.</p>` : nothing}
    ${testDeeds.map(button)}
  </form>`;
}

export type PayerAssets = { style: string; script: string; icon: string };

type PayerDocument = {
  title: string;
  main: SafeHtml;
  /** For readers without script: the address that is loaded every few seconds; undefined if nothing will change. */
  reloadsFrom?: string | undefined;
};

/** @returns the document around a payer's page */
export function layout({ title, main, reloadsFrom }: PayerDocument, assets: PayerAssets): string {
  const head =
    reloadsFrom === undefined
      ? nothing
      : html`<noscript><meta http-equiv="refresh" content="${reloadSeconds}; url=${reloadsFrom}"></noscript>`;
  const body = html`${main}
<p class="visually-hidden" role="status" data-announce></p>`;
  return htmlDocument({ title, head, body, ...assets });
}

const onePayment = { schema: { hide: true, params: Type.Object({ id: Type.String() }) } };
// The most streams of states that are open at a time. A page that gets none asks for its state by itself. Many payers
// share the address of a mobile network, while few look at the same payment.
const bounds = { perAddress: 1_000, perPayment: 20, total: 2_500 };
// Most payers pay by then. A page that is left open gives its place to others, and asks while somebody sees it.
const longestMs = 10 * 60_000;
const everyMs = 1_000;

/** `/pay/{id}`, the payer's page, and its stream of states (Contract: payer's page). */
export const payerPages: FastifyPluginAsyncTypebox<{ context: PayerContext }> = async (app, { context }) => {
  await app.register(addressTurns);
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

  const show = async (reply: FastifyReply, found: Pick<Shown, 'payment' | 'state' | 'refused'>) => {
    const money = found.state === 'paid' ? await readPayersMoney(db, found.payment.id) : undefined;
    // Only a test store's page has a form.
    if (found.payment.test) void reply.header('content-security-policy', pagePolicy({ forms: "'self'" }));
    const page = payerPage({ ...found, money, now: now(), base });
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
    const wanted = { deed, amount: undefined };
    await context.deedTurns(payment.storeId, () => doAtTestBank(context, payment, wanted));
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
