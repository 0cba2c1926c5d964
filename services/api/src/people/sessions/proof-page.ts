import type { AccountWithSecrets } from '@payments/database/accounts/accounts';
import { passkeyForm, postForm, textField } from '../../administration/kit/forms.ts';
import { alert } from '../../administration/kit/notices.ts';
import { html, nothing, type SafeHtml } from '../../pages/html.ts';
import type { Question } from '../second-factor/passkeys.ts';

/** The fields of a proof. No form that needs one may have a field of these names. */
export const proofFields = ['current', 'code', 'answer', 'sealed'] as const;

export type AskedProof = {
  csrf: string;
  /** The address and the fields of the form that waits for the proof. */
  action: string;
  body: unknown;
  to: string;
  error: string | undefined;
};

export type ProofWays = {
  /** Undefined for the holder of `ADMIN_KEY`. */
  account: AccountWithSecrets | undefined;
  /** The question for a passkey, if the account has one. */
  passkey: Question | undefined;
  /** The host of the single sign-on. */
  issuer: string | undefined;
};

/** Asks who a person is before their form goes on. Every way posts the form's own fields again. */
export function proofPage({ csrf, action, body, to, error }: AskedProof, ways: ProofWays): SafeHtml {
  const form = { csrf, action };
  const kept = keptFields(body);
  return html`<section class="sign-in card">
    <h1>Confirme que é você</h1>
    <p>Para ${to}, confirme que é você. Isto protege a sua conta se alguém usar uma sessão que ficou aberta.</p>
    <p class="muted small">Nada foi feito ainda, e o que você preencheu não se perde.</p>
    ${error ? alert('error', error) : nothing}
    ${isOfIssuer(ways) ? issuerWay(form, kept, ways) : nothing}
    ${isOfIssuer(ways) ? nothing : passwordWay(form, kept, ways)}
    ${ways.account?.totpSecret ? codeWay(form, kept) : nothing}
    ${ways.passkey ? passkeyWay(form, kept, ways.passkey) : nothing}
    <p class="small"><a href="/panel">Desistir e voltar ao início</a></p>
  </section>`;
}

type Form = { csrf: string; action: string };

const isOfIssuer = ({ account }: ProofWays) => account !== undefined && account.password === null;

function passwordWay(form: Form, kept: SafeHtml, { account }: ProofWays): SafeHtml {
  const label = account ? 'Senha' : 'Chave de administração';
  const field = { name: 'current', label, type: 'password', autocomplete: 'current-password' } as const;
  return postForm(
    form,
    html`${kept}${textField({ ...field, required: true, autofocus: true })}
      <button class="button primary wide">Confirmar e continuar</button>`,
  );
}

function codeWay(form: Form, kept: SafeHtml): SafeHtml {
  const hint = 'Os 6 dígitos do seu aplicativo, ou um código de recuperação.';
  return postForm(
    form,
    html`${kept}${textField({ name: 'code', label: 'Ou um código', autocomplete: 'one-time-code', hint, required: true })}
      <button class="button wide">Confirmar com o código</button>`,
  );
}

function passkeyWay(form: Form, kept: SafeHtml, question: Question): SafeHtml {
  return passkeyForm(form, { ...question, way: 'get', label: 'Confirmar com a chave de acesso' }, kept);
}

/** The proof is made in another tab, so that this one keeps what was typed. */
function issuerWay(form: Form, kept: SafeHtml, { issuer }: ProofWays): SafeHtml {
  return html`<ol>
      <li><p><a class="button primary" href="/panel/sign-in/sso/prove" target="_blank" rel="noopener">Confirmar em ${issuer}</a> (abre outra aba)</p></li>
      <li>Depois volte a esta aba e continue.</li>
    </ol>
    ${postForm(form, html`${kept}<button class="button wide">Continuar</button>`)}`;
}

/** The form's own fields as hidden ones. */
function keptFields(body: unknown): SafeHtml {
  const own = Object.entries((body as Record<string, unknown> | null) ?? {}).filter(
    ([name]) => name !== '_csrf' && !(proofFields as readonly string[]).includes(name),
  );
  return html`${own.flatMap(([name, given]) =>
    [given].flat().map((value) => html`<input type="hidden" name="${name}" value="${String(value)}">`),
  )}`;
}
