import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { runRestoreSteps, startArchivedDatabase } from '@payments/testing/archived-database';
import { type ProcessSystem, startProcessSystem } from '@payments/testing/process-system';
import { eventually, type TestSystem } from '@payments/testing/system';
import { startTcpProxy } from '@payments/testing/tcp-proxy';
import t from 'tap';
import { openShop, story } from './shop.ts';

t.test('the database is restored to a moment, and the bank and the stores are further', async (t) => {
  const database = await startArchivedDatabase();
  t.teardown(database.remove);
  const address = await startTcpProxy(Number(new URL(database.url).port));
  t.teardown(address.close);
  const databaseUrl = withPort(database.url, address.port);
  const system = await startProcessSystem({ databaseUrl });
  t.teardown(system.stop);
  const shop = await openShop(t, { ...system, api: system.call } as unknown as TestSystem);
  const many = (count: number) => Promise.all(Array.from({ length: count }, () => shop.charge(10)));
  const isTold = (told: number) => async (payment: { id: string }) => shop.untilWebhooks(payment, told);

  await database.backUp();
  const [paid, other, twice] = [await many(10), await many(5), await many(3)];
  await Promise.all([...paid, ...other, ...twice].map(isTold(1)));
  const decided = await shop.charge(10);
  await shop.pay(decided, { valor: 7 });
  await isTold(2)(decided);
  const [rejected, cancelled, [waiting]] = [await many(3), await many(4), await many(1)];
  for (const payment of rejected) await shop.pay(payment, { valor: 7 });
  await Promise.all([...rejected.map(isTold(2)), ...[...cancelled, waiting!].map(isTold(1))]);
  const undone = await shop.charge(10);
  await shop.pay(undone);
  await isTold(2)(undone);
  const moment = await database.moment();

  // Events that the database will not know.
  for (const payment of paid) await shop.pay(payment);
  for (const payment of other) await shop.pay(payment, { valor: 7 });
  for (const payment of twice) await shop.pay(payment);
  await Promise.all([...paid, ...other, ...twice].map(isTold(2)));
  for (const payment of twice) await shop.pay(payment);
  t.equal((await shop.decide(decided, 'approved')).status, 200);
  await isTold(3)(decided);
  const refundIds = new Map<string, string>();
  for (const payment of twice) {
    const { refunds } = await shop.untilDetail(
      payment,
      'its refund',
      ({ refunds: [refund] }) => refund?.state === 'refunded',
    );
    refundIds.set(payment.id, refunds[0]!.id);
  }
  const rejections = new Map<string, string>();
  for (const payment of rejected) {
    t.equal((await shop.decide(payment, 'not_approved')).status, 200);
    const { refunds } = await shop.untilDetail(
      payment,
      'its refund',
      ({ refunds: [refund] }) => refund?.state === 'refunded',
    );
    rejections.set(payment.id, refunds[0]!.id);
  }
  for (const payment of cancelled) {
    t.equal((await shop.decide(payment, 'not_approved')).status, 200);
    await shop.untilDetail(payment, 'its removal', ({ chargeState }) => chargeState === 'closed');
  }
  await Promise.all([...rejected.map(isTold(3)), ...cancelled.map(isTold(2))]);
  const later = await many(4);
  await Promise.all(later.map(isTold(1)));
  const lost = await many(4);
  await Promise.all(lost.map(isTold(1)));
  for (const payment of lost) await shop.pay(payment);
  await Promise.all(lost.map(isTold(2)));
  const newcomer = await openShop(t, { ...system, api: system.call } as unknown as TestSystem);
  const ofNewcomer = await newcomer.charge(10);
  const { endToEndId } = await newcomer.pay(ofNewcomer);
  await newcomer.untilWebhooks(ofNewcomer, 2);
  const laterOfNewcomer = await newcomer.charge(10);
  await newcomer.untilWebhooks(laterOfNewcomer, 1);
  await system.bank('/bank/faults', { status: 503, only: ['putDevolucao', 'getDevolucao'] });
  const order = { body: { amount: 4 } };
  t.equal((await system.admin(`/admin/payments/${undone.id}/refunds`, order)).status, 202);
  await shop.untilDetail(undone, 'the order to be on the stream', ({ updates }) =>
    updates.some(({ published }) => published),
  );
  const before = shop.received.length;

  await Promise.all([system.api.kill(), ...system.dispatchers.map((one) => one.kill())]);
  await system.bank('/bank/faults', {});
  address.cut();
  await database.destroy();
  const restored = await database.restore(moment);
  address.lead(Number(new URL(restored).port));
  await eventually('the end of the recovery', () =>
    runRestoreSteps(restored).then(
      () => true,
      () => undefined,
    ),
  );
  const since = performance.now();
  const soFar = () => `| ${((performance.now() - since) / 1_000).toFixed(1)} s`;
  const [PORT, ADMIN_PORT] = [system.url, system.adminUrl].map((url) => new URL(url).port) as [
    string,
    string,
  ];
  const start = (env: Record<string, string>) =>
    Promise.all([system.startApi({ ...env, PORT, ADMIN_PORT }), system.startDispatcher(env)]);
  const recovering = await start({ RECOVER_PAYMENTS: 'true' });

  const [soon, afterwards] = [later.slice(0, 2), later.slice(2)];
  for (const payment of soon) await shop.pay(payment);
  const heldLater = await newcomer.pay(laterOfNewcomer);
  for (const payment of soon)
    await shop.untilDetail(payment, 'paid after the restore', ({ status }) => status === 'approved');
  t.comment(`| codes paid after the restore ${soFar()} |`);
  for (const payment of rejected) {
    const { refunds, events } = await shop.untilDetail(
      payment,
      'its rejection',
      ({ status }) => status === 'not_approved',
    );
    t.match(refunds, [{ id: rejections.get(payment.id), origin: 'service', state: 'refunded' }]);
    t.match(events.at(-1), { actor: 'refund', reason: 'refunded' });
    const { pix } = await shop.atBank(payment);
    t.equal(pix.flatMap(({ devolucoes = [] }) => devolucoes).length, 1, 'ordered once at the bank');
  }
  t.comment(`| rejected reviews ${soFar()} |`);
  for (const payment of cancelled) {
    const { events } = await shop.untilDetail(
      payment,
      'its removal',
      ({ status }) => status === 'not_approved',
    );
    t.match(events.at(-1), { actor: 'expiry', reason: 'removed_at_bank' });
  }
  t.comment(`| cancelled payments ${soFar()} |`);
  t.equal((await shop.read(waiting!)).status, 'pending', 'what can still be paid waits');
  for (const payment of paid)
    await shop.untilDetail(payment, 'approved', ({ status }) => status === 'approved');
  for (const payment of other) await shop.untilDetail(payment, 'review', ({ status }) => status === 'review');
  for (const payment of twice) {
    const { refunds } = await shop.untilDetail(
      payment,
      'its refund',
      ({ refunds: [refund] }) => refund?.state === 'refunded',
    );
    t.match(refunds, [{ id: refundIds.get(payment.id), origin: 'service' }], 'the same refund');
    const { pix } = await shop.atBank(payment);
    t.equal(pix.flatMap(({ devolucoes = [] }) => devolucoes).length, 1, 'ordered once at the bank');
  }
  const held = (count: number) =>
    eventually('Pix without a payment', async () => {
      const { body } = await system.admin('/admin/unmatched-pix');
      return body.total === count ? body.items : undefined;
    });
  const unmatched = await held(2);
  for (const { id } of lost)
    t.match(await shop.untilDetail({ id }, 'found again', ({ status }) => status === 'approved'), {
      storeId: shop.store.id,
      amount: 10,
      webhookUrl: null,
    });
  const ofLost = [
    `${ofNewcomer.id} pending`,
    `${ofNewcomer.id} approved`,
    `${laterOfNewcomer.id} pending`,
    ...afterwards.map(({ id }) => `${id} pending`),
    // An order that the bank never got.
    `${undone.id} requested`,
  ];
  const noticed = await lostEvents(system, databaseUrl, moment);
  t.same(noticed.sort(), [...ofLost, `${decided.id} approved`].sort(), 'the rest is listed');
  t.comment(`| all found ${soFar()} |`);
  const ofLostStore = [endToEndId, heldLater.endToEndId].map((id) => ({
    endToEndId: id,
    reason: 'no_payment',
  }));
  t.match(unmatched.toSorted(byId), ofLostStore.sort(byId), 'Pix of a store that is lost, too');
  const { status } = await system.admin(`/admin/unmatched-pix/${endToEndId}/refund`, {
    body: { reason: 'lost' },
  });
  t.equal(status, 202, 'and can be refunded');

  await eventually('the webhooks of it to be repeated', async () => {
    const repeated = shop.received.slice(before).map(({ headers }) => headers['webhook-id']);
    return repeated.length >= paid.length + other.length + twice.length || undefined;
  });
  for (const payment of [...paid, ...twice, ...lost])
    t.same(
      story(shop.webhooks(payment)),
      ['created pending', 'pending approved'],
      'no change under a second id',
    );
  for (const payment of other) t.same(story(shop.webhooks(payment)), ['created pending', 'pending review']);
  for (const payment of rejected)
    t.same(story(shop.webhooks(payment)), ['created pending', 'pending review', 'review not_approved']);
  for (const payment of cancelled)
    t.same(story(shop.webhooks(payment)), ['created pending', 'pending not_approved']);
  t.equal((await shop.decide(decided, 'approved')).status, 200, 'a decision is made again');
  t.same((await lostEvents(system, databaseUrl, moment)).sort(), ofLost.sort());
  t.same(story(shop.webhooks(decided)), ['created pending', 'pending review', 'review approved']);

  // RECOVER_PAYMENTS is off again, and customers still have codes of lost payments. One Pix was refunded.
  await Promise.all(recovering.map((one) => one.kill()));
  await start({});
  const paidLast = await Promise.all(afterwards.map((payment) => shop.pay(payment)));
  const ids = (await held(3)).map((pix: { endToEndId: string }) => pix.endToEndId);
  for (const pix of paidLast) t.ok(ids.includes(pix.endToEndId), 'held without RECOVER_PAYMENTS');
});

const byId = (a: { endToEndId: string }, b: { endToEndId: string }) =>
  a.endToEndId.localeCompare(b.endToEndId);

/** @returns payment and status of each event that only the stream has */
async function lostEvents(system: ProcessSystem, databaseUrl: string, since: Date): Promise<string[]> {
  const { NATS_URL = '', NATS_STREAM = '' } = system.env;
  const program = fileURLToPath(new URL('../../api/src/lost-events.ts', import.meta.url));
  const args = ['--conditions=public-payments', program, since.toISOString()];
  const env = { ...process.env, DATABASE_URL: databaseUrl, NATS_URL, NATS_STREAM };
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  const lines = stdout.split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line)).map(({ paymentId, status }) => `${paymentId} ${status}`);
}

function withPort(url: string, port: number): string {
  const moved = new URL(url);
  moved.port = String(port);
  return moved.href;
}
