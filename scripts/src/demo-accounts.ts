import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isStoreRole, type Role, roles } from '@payments/domain/roles';
import { callJson } from '@payments/testing/json-client';

/** One account of each role. All have the same password, which this DATA_DIR keeps. */
export type DemoAccounts = { emails: readonly string[]; password: string };

/** The password, and the ids of the accounts that have it. */
type Kept = { password: string; ids: string[] };
type Account = { id: string; email: string };
type Invited = Account & { invitationUrl: string };

type Options = { dataDir: string; adminUrl: string; panelUrl: string; adminKey: string; storeId: string };

const emailOf = (role: string) => `${role.replace('_', '-')}@demo.local`;

/** Makes the accounts that are missing; the others stay as they are. */
export async function demoAccounts(options: Options): Promise<DemoAccounts> {
  const { dataDir, adminUrl, panelUrl, adminKey } = options;
  const kept = read(dataDir) ?? { password: `demo-${randomBytes(9).toString('base64url')}`, ids: [] };
  write(dataDir, kept);
  const { items } = await callJson<{ items: Account[] }>(`${adminUrl}/admin/accounts`, adminKey);
  for (const role of roles) {
    const known = items.find(({ email }) => email === emailOf(role));
    if (known && kept.ids.includes(known.id)) continue;
    const { id, invitationUrl } = await invited(options, role, known);
    await setPassword(panelUrl + new URL(invitationUrl).pathname, kept.password);
    kept.ids.push(id);
    write(dataDir, kept);
  }
  return { emails: roles.map(emailOf), password: kept.password };
}

/** An account without this password is of an interrupted start, or of another DATA_DIR. */
function invited(
  { adminUrl, adminKey, storeId }: Options,
  role: Role,
  known: Account | undefined,
): Promise<Invited> {
  const accounts = `${adminUrl}/admin/accounts`;
  if (known) return callJson<Invited>(`${accounts}/${known.id}/invitation`, adminKey, {});
  const account = { name: `Demo ${role}`, email: emailOf(role), role, ...(isStoreRole(role) && { storeId }) };
  return callJson<Invited>(accounts, adminKey, account);
}

const fileIn = (dataDir: string) => join(dataDir, 'demo-accounts.json');

function read(dataDir: string): Kept | undefined {
  try {
    return JSON.parse(readFileSync(fileIn(dataDir), 'utf8')) as Kept;
  } catch {
    return undefined;
  }
}

function write(dataDir: string, kept: Kept): void {
  writeFileSync(fileIn(dataDir), `${JSON.stringify(kept, undefined, 2)}\n`, { mode: 0o600 });
}

/**
 * Sets a password on an invitation's page, as a browser does.
 * @throws Error for an invitation that does not work
 */
export async function setPassword(page: string, password: string): Promise<void> {
  const form = await fetch(page);
  const token = /name="_csrf" value="([^"]+)"/.exec(await form.text())?.[1];
  const cookie = form.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
  const answer = await fetch(page, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie },
    body: new URLSearchParams({ _csrf: token ?? '', password }),
  });
  await answer.body?.cancel();
  if (answer.status !== 303) throw new Error(`a demo account's invitation answered ${answer.status}`);
}
