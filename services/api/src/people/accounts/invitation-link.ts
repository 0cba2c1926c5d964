import { alert } from '../../administration/kit/alert.ts';
import { copyable } from '../../administration/kit/copy.ts';
import { html, type SafeHtml } from '../../pages/html.ts';
import type { InvitedAccount } from './invite.ts';

/** A new invitation, shown only this once. */
export function invitationLink({ id, name, invitationUrl }: InvitedAccount): SafeHtml {
  return html`<div class="secret" data-address="/panel/accounts/${id}">
    ${alert('done', html`<strong>Convite pronto.</strong> Copie agora e envie a ${name}: ele não será mostrado de novo, vale 72 horas e uma só vez.`)}
    ${copyable('Link do convite', invitationUrl)}</div>`;
}
