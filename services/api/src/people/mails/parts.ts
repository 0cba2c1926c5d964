import type { Account } from '@payments/database/accounts/accounts';
import { choosableKinds, kindsOf } from '@payments/notices/kinds';
import { kindNames } from '@payments/notices/names';
import { checkbox, postForm } from '../../administration/kit/forms.ts';
import { html, nothing, type SafeHtml } from '../../pages/html.ts';

/** The notices that a person gets by e-mail, as pages show them. */

/** The choice, on “Minha conta”. What concerns the account itself comes always, and is no choice. */
export function noticesSection(csrf: string, account: Account): SafeHtml {
  const chosen = kindsOf(account);
  const boxes = choosableKinds(account.role).map((kind) =>
    checkbox({ name: kind, label: kindNames[kind], value: chosen.includes(kind) ? 'on' : undefined }),
  );
  const usual =
    account.notices === null
      ? nothing
      : html`<button class="button quiet" name="usual" value="true">Usar os do meu perfil</button>`;
  return html`<section class="card narrow" id="notices"><h2>Avisos por e-mail</h2>
    <p class="muted">Vão para ${account.email}. Os que são sobre a sua conta, como uma entrada de um lugar novo, vêm sempre.</p>
    ${postForm(
      { csrf, action: '/panel/my-account/notices' },
      html`${boxes}<div class="actions"><button class="button primary">Salvar avisos</button>${usual}</div>`,
    )}</section>`;
}

/** The notices of another person, for owners. */
export function noticesOf(account: Account): SafeHtml {
  const names = kindsOf(account).map((kind) => html`<li>${kindNames[kind]}</li>`);
  return html`<section class="card narrow"><h2>Avisos por e-mail</h2>
    ${names.length === 0 ? html`<p class="muted">Nenhum.</p>` : html`<ul>${names}</ul>`}
    <p class="muted small">${account.notices === null ? 'São os do perfil.' : 'A pessoa escolheu os seus.'}</p></section>`;
}
