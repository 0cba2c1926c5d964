import type { PayerPayment } from '@payments/database/payments/payer-pages';
import { isEndState, type PayerState } from '@payments/domain/payer-state';
import { type TestDeed, testDeeds } from '@payments/domain/test-deeds';
import { formatBrl, html, htmlDocument, nothing, type SafeHtml, timeText } from '../pages/html.ts';

const reloadSeconds = 10;

export type Shown = {
  payment: PayerPayment;
  state: PayerState;
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
  const main = html`<main class="${mark}" data-state="${state}" data-end="${String(isEndState(state))}"
    data-events="${base}/pay/${payment.id}/events">
    ${tested}<p class="store">${payment.storeName}</p>
    <h1>${title}</h1>
    ${content}
    ${payment.test && payment.copyAndPaste !== null ? deeds(shown) : nothing}
  </main>`;
  return {
    title: `${payment.test ? 'TESTE · ' : ''}${title} · ${payment.storeName}`,
    main,
    reloadSeconds: isEndState(state) ? undefined : reloadSeconds,
  };
}

type Part = { title: string; mark: 'open' | 'good' | 'wait' | 'quiet'; content: SafeHtml };

const parts: Record<PayerState, (shown: Shown) => Part> = {
  waiting: (shown) => ({
    title: `Pague ${brl(shown)} com Pix`,
    mark: 'open',
    content: payable(shown),
  }),
  preparing: (shown) => ({
    title: 'Preparando o código Pix',
    mark: 'wait',
    content: html`<p>O banco está registrando a cobrança de ${brl(shown)}. O código aparece aqui em instantes.</p>`,
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
    content: html`<p>Recebemos um Pix para a cobrança de ${brl(shown)}. Não é preciso pagar de novo.</p>
      <p>A análise costuma levar até 30 minutos. Se o pagamento não for aprovado, o dinheiro volta para a sua conta.</p>`,
  }),
  paid: (shown) => ({
    title: 'Pagamento confirmado',
    mark: 'good',
    content: html`<p class="value">${brl(shown)}</p>
      <p>O seu Pix para ${shown.payment.storeName} foi recebido. Você pode fechar esta página.</p>`,
  }),
  closed: ({ payment: { storeName } }) => ({
    title: 'Pagamento não aprovado',
    mark: 'quiet',
    content: html`<p>O prazo terminou ou o pagamento não pôde ser aceito. Não pague mais este código.</p>
      <p>Se você já pagou, o dinheiro volta para a sua conta. Para tentar de novo, peça outro código a ${storeName}.</p>`,
  }),
};

const brl = ({ payment: { amount } }: Shown) => formatBrl(amount).replace(' ', '\u00a0');

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
  /** For readers without script: how often the page reloads; undefined if nothing will change. */
  reloadSeconds?: number | undefined;
};

/** @returns the document around a payer's page */
export function layout({ title, main, reloadSeconds }: PayerDocument, assets: PayerAssets): string {
  const head =
    reloadSeconds === undefined
      ? nothing
      : html`<noscript><meta http-equiv="refresh" content="${reloadSeconds}"></noscript>`;
  const body = html`${main}
<p class="visually-hidden" role="status" data-announce></p>`;
  return htmlDocument({ title, head, body, ...assets });
}
