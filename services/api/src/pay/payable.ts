import { timeText } from '../pages/formats.ts';
import { html, type SafeHtml } from '../pages/html.ts';
import type { Shown } from './page.ts';

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
