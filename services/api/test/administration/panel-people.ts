import type { Role } from '@payments/domain/roles';
import type { SystemClient } from '@payments/testing/system-client';
import { type PanelClient, panelClient } from './panel-client.ts';

/** A person with an account and a password, and their browser, signed in. */
export type Person = PanelClient & { id: string; email: string; password: string };

export const password = 'uma frase bem comprida';

let number = 0;

/** Makes an account, and uses its invitation. */
export async function newPerson(
  { admin, adminUrl }: Pick<SystemClient, 'admin'> & { adminUrl: string },
  account: { role: Role; storeId?: string; name?: string } = { role: 'owner' },
  always: Record<string, string> = {},
): Promise<Person> {
  number += 1;
  const email = `pessoa${number}@loja.example`;
  const { body } = await admin('/admin/accounts', { body: { name: `Pessoa ${number}`, email, ...account } });
  const browser = panelClient(adminUrl, always);
  const path = new URL(body.invitationUrl).pathname;
  const { status } = await browser.post(path, { password }, path);
  if (status !== 303) throw new Error(`the invitation answered ${status}`);
  return { ...browser, id: body.id, email, password };
}
