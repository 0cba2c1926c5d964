import { mailLinkOwner, writePersonalMail } from '@payments/database/notices/notices';
import { secretBox } from '@payments/database/secret-box';
import { replaceWebhookSecret } from '@payments/database/stores/webhook-secrets';
import { newId } from '@payments/domain/identifiers';
import { readEnvironment } from '@payments/runtime/environment';
import { createLogger } from '@payments/runtime/logging';
import { webhookSecretOwner } from '@payments/startup/stored-secrets';
import { startSystem } from '@payments/testing/system';
import t from 'tap';
import { startApi } from '../src/api.ts';
import { apiSettings } from '../src/settings.ts';

/** Secrets that must be read again are sealed in the database (Contract: secrets at rest). */
const system = await startSystem({ dispatcher: false });
t.teardown(system.stop);
const { admin, createStore, db, env } = system;
const store = await createStore();
const pathOf = (id: string) => `/admin/stores/${id}/webhook-secret`;
const path = pathOf(store.id);
const key = env.SECRETS_KEY as string;
const nextKey = 'another-key-of-thirty-two-letters';

const start = (settings: Record<string, string>) =>
  startApi(
    readEnvironment(apiSettings, { ...env, PORT: '0', ADMIN_PORT: '0', ...settings }),
    createLogger('api', 'silent'),
  );

type Secrets = { secret: string; previousSecret: string | null };

/** Reads a store's secrets from a process with these settings. */
const secretsWith = async (settings: Record<string, string>, id: string = store.id) => {
  const api = await start(settings);
  try {
    const url = `http://127.0.0.1:${api.adminPort}${pathOf(id)}`;
    const headers = { authorization: `Bearer ${env.ADMIN_KEY}` };
    return (await (await fetch(url, { headers })).json()) as Secrets;
  } finally {
    await api.close();
  }
};

const rows = () => db.selectFrom('stores').selectAll().orderBy('id').execute();
const restore = async (before: Awaited<ReturnType<typeof rows>>) => {
  for (const { id, webhookSecret, previousWebhookSecret } of before)
    await db
      .updateTable('stores')
      .set({ webhookSecret, previousWebhookSecret })
      .where('id', '=', id)
      .execute();
};
/** Which keys open the stored secrets of a store. */
const opening = async (keys: string[], id: string = store.id) => {
  const { webhookSecret, previousWebhookSecret } = (await rows()).find((row) => row.id === id)!;
  const seals = [webhookSecret, previousWebhookSecret ?? webhookSecret].map((stored) =>
    keys.filter((current) => secretBox({ current }).sealOf(stored, webhookSecretOwner(id)) === 'current'),
  );
  return [...new Set(seals.flat())];
};

t.test('the database holds no secret that works', async (t) => {
  const before = (await admin(path)).body.secret;
  const after = (await admin(`${path}/rotate`, { body: {} })).body;
  t.equal(after.previousSecret, before);
  const stored = JSON.stringify(await rows());
  for (const secret of [before, after.secret]) t.notOk(stored.includes(secret.slice(6)));
  t.match(stored, 'sealed:');
});

t.test('without the right key the service does not start, and says how many secrets are lost', async (t) => {
  // The newest store's secret opens: it is not enough to look at one.
  const newest = await createStore();
  const before = await rows();
  const owner = webhookSecretOwner(newest.id);
  const becomes = secretBox({ current: nextKey }).seal('whsec_bmV3ZXN0', owner);
  await db.updateTable('stores').set({ webhookSecret: becomes }).where('id', '=', newest.id).execute();
  const message =
    'SECRETS_KEY, SECRETS_KEY_NEXT and SECRETS_KEY_PREVIOUS do not open stored secrets: 2 of webhooks';
  await t.rejects(start({ SECRETS_KEY: nextKey }), { name: 'ConfigurationError', message });
  t.same(
    (await rows()).filter(({ id }) => id !== newest.id),
    before.filter(({ id }) => id !== newest.id),
    'and nothing is changed',
  );
  await restore(before);
});

t.test('a changed key seals every secret anew by itself, and the key before can go', async (t) => {
  const stores = [store, await createStore()];
  const before = await Promise.all(stores.map(async ({ id }) => (await admin(pathOf(id))).body as Secrets));
  const stored = await rows();
  for (const [index, { id }] of stores.entries()) {
    t.match(await secretsWith({ SECRETS_KEY: nextKey, SECRETS_KEY_PREVIOUS: key }, id), before[index]);
    t.same(await opening([key, nextKey], id), [nextKey]);
    t.match(await secretsWith({ SECRETS_KEY: nextKey }, id), before[index], 'the receivers’ secret stays');
  }
  await restore(stored);
});

t.test('what was stored before there was a key is sealed', async (t) => {
  const stored = await rows();
  await db
    .updateTable('stores')
    .set({ webhookSecret: 'whsec_Y2xlYXI=' })
    .where('id', '=', store.id)
    .execute();
  t.match(await secretsWith({}), { secret: 'whsec_Y2xlYXI=' });
  t.notMatch(JSON.stringify(await rows()), 'Y2xlYXI');
  await restore(stored);
});

t.test('a rolling change: who runs with the key to come reads what its successor seals', async (t) => {
  const stored = await rows();
  const { secret } = (await admin(path)).body;
  const first = await start({ SECRETS_KEY_NEXT: nextKey });
  t.same(await opening([key, nextKey]), [key], 'the key to come seals nothing yet');
  t.match(await secretsWith({ SECRETS_KEY: nextKey, SECRETS_KEY_PREVIOUS: key }), { secret });
  t.same(await opening([key, nextKey]), [nextKey]);
  const headers = { authorization: `Bearer ${env.ADMIN_KEY}` };
  const read = await fetch(`http://127.0.0.1:${first.adminPort}${path}`, { headers });
  t.match(await read.json(), { secret }, 'the process of before reads it');
  await first.close();
  t.match(await secretsWith({ SECRETS_KEY_NEXT: nextKey }), { secret }, 'and when it is started again');
  t.same(await opening([key, nextKey]), [nextKey], 'leaves it as it is');
  await restore(stored);
});

t.test('two replicas at once, and a start that follows one that died half-way', async (t) => {
  await createStore();
  const stored = await rows();
  const settings = { SECRETS_KEY: nextKey, SECRETS_KEY_PREVIOUS: key };
  const apis = await Promise.all([start(settings), start(settings)]);
  await Promise.all(apis.map((api) => api.close()));
  t.same(await opening([key, nextKey]), [nextKey]);
  // One store is sealed anew, the others not yet.
  await restore(stored.slice(1));
  const api = await start(settings);
  await api.close();
  for (const { id } of stored) t.same(await opening([key, nextKey], id), [nextKey]);
  await restore(stored);
});

t.test('a rotation meanwhile: both its secrets stay, and the one before is still sealed anew', async (t) => {
  const { id } = await createStore();
  const owner = webhookSecretOwner(id);
  const was = (await rows()).find((row) => row.id === id)!.webhookSecret;
  const { secret: before } = (await admin(pathOf(id))).body;
  const rotated = (await admin(`${pathOf(id)}/rotate`, { body: {} })).body;
  const both = secretBox({ current: key, next: nextKey });
  const becomes = secretBox({ current: nextKey }).seal(both.open(was, owner), owner);
  await replaceWebhookSecret(db, id, { was, becomes });
  const after = (await rows()).find((row) => row.id === id)!;
  t.equal(both.open(after.webhookSecret, owner), rotated.secret);
  t.equal(after.previousWebhookSecret, becomes);
  t.equal(both.open(becomes, owner), before);
  await replaceWebhookSecret(db, id, { was, becomes: 'nothing' });
  t.same(
    (await rows()).find((row) => row.id === id),
    after,
    'another replica came later',
  );
  await restore((await rows()).map((row) => (row.id === id ? { ...row, previousWebhookSecret: null } : row)));
});

t.test('the secrets of two stores, exchanged, open in neither', async (t) => {
  const other = await createStore();
  const stored = await rows();
  const secretIn = (id: string) => stored.find((row) => row.id === id)!.webhookSecret;
  for (const [id, from] of [
    [store.id, other.id],
    [other.id, store.id],
  ] as const)
    await db
      .updateTable('stores')
      .set({ webhookSecret: secretIn(from) })
      .where('id', '=', id)
      .execute();
  t.equal((await admin(path)).status, 500);
  await t.rejects(start({}), { message: /: 2 of webhooks$/ });
  await restore(stored);
  t.equal((await admin(path)).status, 200);
});

t.test('the link of a mail that waits for the mail server is sealed anew with the others', async (t) => {
  const stored = await rows();
  const person = { name: 'Ana', email: 'ana@example.com', role: 'viewer' };
  const { id: accountId } = (await admin('/admin/accounts', { body: person })).body;
  const [id, now, url] = [newId(), new Date(), 'https://panel.example/panel/invitation#once'];
  const facts = { name: 'Ana', until: now.toISOString() };
  const link = secretBox({ current: key }).seal(url, mailLinkOwner(id));
  await writePersonalMail(db, { id, kind: 'invitation', accountId, to: person.email, facts, link, now });
  const linkOf = async () =>
    (await db.selectFrom('mails').select('link').where('id', '=', id).executeTakeFirstOrThrow()).link ?? '';
  // Its own, and the account's invitation.
  await t.rejects(start({ SECRETS_KEY: nextKey }), { message: /of webhooks, 2 of mails$/ });
  t.equal(await linkOf(), link);
  await (await start({ SECRETS_KEY: nextKey, SECRETS_KEY_PREVIOUS: key })).close();
  t.equal(secretBox({ current: nextKey }).open(await linkOf(), mailLinkOwner(id)), url);
  await db.deleteFrom('mails').where('id', '=', id).execute();
  await restore(stored);
});
