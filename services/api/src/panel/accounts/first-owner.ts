import { hasAccounts } from '@payments/database/people/accounts';
import type { FastifyRequest } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { html, nothing, type SafeHtml } from '../../html.ts';
import { alert } from '../page/alert.ts';

/** Offers to make the first owner, to whoever came with `ADMIN_KEY` before there is an account. */
export async function firstOwnerOffer({ db }: ApiContext, { actor }: FastifyRequest): Promise<SafeHtml> {
  if (actor.kind !== 'admin_key' || (await hasAccounts(db))) return nothing;
  return alert(
    'warning',
    html`Ainda não há contas, e o histórico não sabe quem é quem.
      <a href="/panel/accounts/new?role=owner">Crie a primeira conta de proprietário</a>.`,
  );
}
