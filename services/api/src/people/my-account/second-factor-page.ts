import QRCode from 'qrcode';
import { alert } from '../../administration/kit/alert.ts';
import { copyable } from '../../administration/kit/copy.ts';
import { textField } from '../../administration/kit/fields.ts';
import { postForm } from '../../administration/kit/forms.ts';
import { html, nothing, type SafeHtml, trusted } from '../../pages/html.ts';
import type { Enrolment } from '../second-factor/totp.ts';

export type EnrolmentPage = {
  enrolment: Enrolment;
  /** The secret, sealed: only our own page can hand it back. */
  sealed: string;
  error: string | undefined;
};

/** The page with the QR code for an authenticator app. */
export async function enrolmentPage({
  enrolment,
  sealed,
  error,
}: EnrolmentPage): Promise<(csrf: string) => SafeHtml> {
  const svg = await QRCode.toString(enrolment.url, { type: 'svg', margin: 2 });
  return (csrf) => html`<p class="back"><a href="/panel/my-account">Minha conta</a></p>
    <h1>Ativar segundo fator</h1>
    <section class="card narrow">
      ${error ? alert('error', error) : nothing}
      <p>Leia o código com o seu aplicativo autenticador e digite os 6 dígitos que ele mostrar.</p>
      <div class="enrolment" role="img" aria-label="QR Code para o aplicativo autenticador">${trusted(svg)}</div>
      <p class="muted small">Sem câmera? Digite esta chave no aplicativo:</p>
      ${copyable('Chave do segundo fator', enrolment.base32)}
      ${postForm(
        { csrf, action: '/panel/my-account/second-factor/confirm' },
        html`<input type="hidden" name="sealed" value="${sealed}">
          ${textField({ name: 'code', label: 'Código', autocomplete: 'one-time-code', required: true, autofocus: true })}
          <button class="button primary">Ativar</button>`,
      )}
    </section>`;
}

/** The page with the recovery codes, shown only once. */
export function recoveryCodesPage(codes: readonly string[]): SafeHtml {
  return html`<h1>Segundo fator ativado</h1>
    <section class="card narrow">
      ${alert('done', html`<strong>Guarde estes códigos de recuperação.</strong> Eles não serão mostrados de novo.`)}
      <p>Sem o seu aplicativo, cada código entra uma vez no lugar dele.</p>
      <ul class="recovery-codes">${codes.map((code) => html`<li><code>${code}</code></li>`)}</ul>
      <a class="button primary" href="/panel/my-account">Guardei os códigos</a>
    </section>`;
}
