import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createTestDatabase } from '@payments/testing/database';
import { eventually, startSystem } from '@payments/testing/system';
import t from 'tap';

/** `lost-events` compares the stream with a database that was restored to an earlier moment. */
const system = await startSystem({ dispatcher: false });
t.teardown(system.stop);
const { token } = await system.createStore();
const began = new Date(Date.now() - 60_000);

type Line = { type: string; paymentId: string; refundId?: string; status: string; amount: number };

async function lostEvents(databaseUrl: string): Promise<Line[]> {
  const program = fileURLToPath(new URL('../src/lost-events.ts', import.meta.url));
  const args = ['--conditions=public-payments', program, began.toISOString()];
  const { NATS_URL, NATS_STREAM } = system.env;
  const env = { ...process.env, DATABASE_URL: databaseUrl, NATS_URL, NATS_STREAM };
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

const detailOf = async (id: string) => (await system.admin(`/admin/payments/${id}`)).body;
const refund = (id: string, amount: number) =>
  system.admin(`/admin/payments/${id}/refunds`, { body: { amount } });
const isPublished = (id: string) =>
  eventually('all of it to be published', async () => {
    const unpublished = await system.db
      .selectFrom('outbox')
      .innerJoin('events', 'events.id', 'outbox.eventId')
      .select('events.id')
      .where('events.paymentId', '=', id)
      .execute();
    return unpublished.length === 0 || undefined;
  });

t.test('statuses and refunds that the database lacks, each refund once, and nothing else', async (t) => {
  const { body: payment } = await system.api('/api-public/payments', { token, body: { amount: 10 } });
  await system.bank('/bank/pay', { pixCopiaECola: payment.qrCopyPaste });
  await eventually('its approval', async () =>
    (await detailOf(payment.id)).status === 'approved' ? true : undefined,
  );
  await refund(payment.id, 3);
  const made = await eventually('its refund', async () =>
    (await detailOf(payment.id)).refunds.find(({ state }: { state: string }) => state === 'refunded'),
  );
  await system.bank('/bank/faults', { status: 503, only: ['putDevolucao', 'getDevolucao'] });
  await refund(payment.id, 2);
  const refunds: { id: string; state: string }[] = (await detailOf(payment.id)).refunds;
  const ordered = refunds.find(({ id }) => id !== made.id);
  await isPublished(payment.id);
  t.strictSame(await lostEvents(system.env.DATABASE_URL ?? ''), [], 'this database has it all');

  const empty = await createTestDatabase();
  t.teardown(empty.drop);
  const lines = await lostEvents(empty.url);
  t.match(lines, [
    { type: 'payment.created', paymentId: payment.id, status: 'pending', amount: 10 },
    { type: 'payment.status_changed', status: 'approved' },
    { type: 'refund.updated', refundId: made.id, previousStatus: 'requested', status: 'refunded', amount: 3 },
    { type: 'refund.updated', refundId: ordered?.id, paymentId: payment.id, status: 'requested', amount: 2 },
  ]);
  t.equal(lines.length, 4);

  // As if it was restored to the moment before the last order, of which the bank has nothing.
  await system.db.deleteFrom('refunds').where('id', '=', String(ordered?.id)).execute();
  t.match(await lostEvents(system.env.DATABASE_URL ?? ''), [{ refundId: ordered?.id, status: 'requested' }]);
});
