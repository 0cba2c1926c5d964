import { claimMails, endMail } from '@payments/database/notices/mails';
import { writeNotices } from '@payments/database/notices/notices';
import { shareNotices } from '@payments/database/notices/share';
import { isStoreRole, roles } from '@payments/domain/roles';
import { startSystem } from '@payments/testing/system';
import t from 'tap';

/** The notices that were sent, and each person's choice (Contract: notices). */
const now = new Date('2026-11-23T12:00:00Z');
const system = await startSystem({ dispatcher: false, now: () => now });
t.teardown(system.stop);
const { admin, createStore, db } = system;
const store = await createStore();
const change = (id: string, body: object) => admin(`/admin/accounts/${id}`, { method: 'PATCH', body });

async function person(role: string, email = `${role}@example.com`) {
  const storeId = role.startsWith('store_') ? store.id : undefined;
  const { body } = await admin('/admin/accounts', { body: { name: role, email, role, storeId } });
  return body;
}

t.test('an account shows the kinds that it gets: the role’s, or the chosen ones', async (t) => {
  const { id, notices } = await person('finance');
  const ofRole = ['refund_owed', 'returned_by_bank', 'unmatched_pix', 'reconciliation_differs'];
  t.strictSame(notices, ofRole);
  const chosen = await change(id, { notices: ['bank_failing', 'refund_owed'] });
  t.strictSame([chosen.status, chosen.body.notices], [200, ['refund_owed', 'bank_failing']]);
  t.strictSame((await admin(`/admin/accounts/${id}`)).body.notices, ['refund_owed', 'bank_failing']);
  t.strictSame((await change(id, { notices: [] })).body.notices, []);
  t.strictSame((await change(id, { notices: null })).body.notices, ofRole);
  t.equal((await admin('/admin/accounts/0190a5b0-0000-7000-8000-000000000000')).status, 404);
  const { body: record } = await admin('/admin/changes');
  t.match(record.items[0], { action: 'account.changed', from: { notices: [] }, to: { notices: null } });
});

t.test(
  'a store’s people choose among their three kinds, and keep no other when their role changes',
  async (t) => {
    const { id } = await person('store_viewer');
    const wrong = await change(id, { notices: ['refund_owed'] });
    const kinds = 'review_waiting, returned_by_bank, endpoint_failing';
    t.strictSame(wrong.body, {
      statusCode: 400,
      message: `notices must be one of the following values: ${kinds}`,
    });
    t.equal((await change(id, { notices: ['invitation'] })).status, 400);
    t.equal((await change(id, { notices: 'review_waiting' })).status, 400);
    t.strictSame((await change(id, { notices: ['review_waiting'] })).body.notices, ['review_waiting']);
    const { id: moved } = await person('operator');
    await change(moved, { notices: ['refund_owed', 'review_waiting'] });
    const asStores = await change(moved, { role: 'store_admin', storeId: store.id });
    t.strictSame(asStores.body.notices, ['review_waiting']);
    t.equal((await change(moved, { role: 'store_admin', notices: ['refund_owed'] })).status, 400);
  },
);

t.test('the list of notices, with filters, for owners and operators alone', async (t) => {
  const { id: operator } = await person('operator', 'second@example.com');
  const facts = { bank: 'default', date: '2026-12-01' };
  const kind = 'certificate_expires' as const;
  await writeNotices(db, [{ kind, key: 'a', storeId: null, occurredAt: now, facts }]);
  const sharing = { limit: 10, now: () => now, collectMs: 1_000, toPeople: true, toWebhook: 'chat.example' };
  await shareNotices(db, sharing);
  const claim = () => claimMails(db, { after: null, limit: 10, leaseMs: 1_000, now });
  // The invitations of these people wait, too. A claim has one mail of each person.
  const claimed = [...(await claim()), ...(await claim())];
  const [mail, ...others] = claimed.filter((one) => one.kind === kind);
  t.strictSame([mail?.accountId, others.length], [operator, 0]);
  const error = { code: 'refused' as const, detail: '550 5.1.1' };
  await endMail(db, mail!, { state: 'failed', subject: 'O certificado vence', error });

  const { status, body } = await admin(`/admin/notices?kind=${kind}`);
  t.match([status, body], [200, { page: 1, limit: 50, total: 2 }]);
  const webhook = { kind, to: 'chat.example', state: 'pending', attempts: 0, subject: null, sentAt: null };
  t.match(
    body.items.toSorted((a: { to: string }, b: { to: string }) => (a.to < b.to ? -1 : 1)),
    [
      { ...webhook, lastError: null, createdAt: now.toISOString() },
      {
        to: 'second@example.com',
        subject: 'O certificado vence',
        state: 'failed',
        lastError: /refused: 550 5\.1\.1/,
      },
    ],
  );
  const totalOf = async (query: string) => (await admin(`/admin/notices?${query}`)).body.total;
  t.strictSame(
    [
      await totalOf('state=failed'),
      await totalOf(`kind=${kind}&state=pending`),
      await totalOf('kind=invitation'),
    ],
    [1, 1, 4],
  );
  t.match((await admin('/admin/notices?state=dead')).body, {
    statusCode: 400,
    message: 'state must be one of the following values: pending, sent, failed',
  });

  for (const role of roles) {
    const storeId = isStoreRole(role) ? store.id : undefined;
    const { body: made } = await admin('/admin/keys', { body: { name: role, role, storeId } });
    const wanted = role === 'owner' || role === 'operator' ? 200 : 403;
    t.equal((await admin('/admin/notices', { token: made.key })).status, wanted, role);
  }
});

t.test('an erasure takes the mails to that address along', async (t) => {
  const { body: before } = await admin('/admin/notices?state=failed');
  t.equal(before.total, 1);
  const [{ id }] = (await admin('/admin/accounts')).body.items.filter(
    ({ email }: { email: string }) => email === 'second@example.com',
  );
  await change(id, { active: false });
  await admin('/admin/erasures', { body: { email: 'Second@example.com' } });
  t.equal((await admin('/admin/notices?state=failed')).body.total, 0);
  const left = (await admin('/admin/notices')).body.items.map(({ to }: { to: string }) => to);
  t.notOk(left.includes('second@example.com'), 'the invitation, too');
});
