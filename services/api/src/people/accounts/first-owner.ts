import { hasAccounts } from '@payments/database/people/accounts';
import type { FastifyRequest } from 'fastify';
import { alert } from '../../administration/kit/alert.ts';
import type { PeopleContext } from '../../context.ts';
import { html, nothing, type SafeHtml } from '../../pages/html.ts';

/** Offers to make the first owner, to whoever came with `ADMIN_KEY` before there is an account. */
export async function firstOwnerOffer(
  { db }: Pick<PeopleContext, 'db'>,
  { actor }: Pick<FastifyRequest, 'actor'>,
): Promise<SafeHtml> {
  if (actor.kind !== 'admin_key' || (await hasAccounts(db))) return nothing;
  return alert(
    'warning',
    html`Ainda não há contas, e o histórico não sabe quem é quem.
      <a href="/panel/accounts/new?role=owner">Crie a primeira conta de proprietário</a>.`,
  );
}
