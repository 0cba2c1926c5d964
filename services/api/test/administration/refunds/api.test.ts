import { readBacklog } from '@payments/database/backlog';
import { call } from '@payments/testing/http';
import { eventually, startSystem } from '@payments/testing/system';
import t from 'tap';
import { isError } from '../../public/payments/expectations.ts';

/**
 * The service orders a refused devolução (NAO_REALIZADO) anew after a pause, or a person does at any time. It is
 * replaced once and never exceeds the Pix. After the last pause, a refusal means that the money is owed.
 */
let offsetMs = 0;
const advance = (seconds: number) => {
  offsetMs += seconds * 1_000;
};
const env = {
  SCAN_INTERVAL_SECONDS: '1',
  REFUND_RETRY_SECONDS: '6000,60000',
  REVIEW_TIMEOUT_SECONDS: '1800',
};
const system = await startSystem({ now: () => new Date(Date.now() + offsetMs), env, dispatcher: false });
t.teardown(system.stop);
const dispatcher = await system.startDispatcher();
t.teardown(dispatcher.close);
const { admin } = system;
const store = await system.createStore();
const faults = (named: Record<string, unknown> = {}) => system.bank('/bank/faults', named);
const detail = async (id: string) => (await admin(`/admin/payments/${id}`)).body;
const retry = (id: string, refundId: string, body: unknown = {}) =>
  admin(`/admin/payments/${id}/refunds/${refundId}/retry`, { body });
const refundsAtBank = async (id: string) => {
  const { body } = await system.bank(`/bank/charges/${id.replaceAll('-', '')}`);
  return body.pix.flatMap((pix: { devolucoes: { status: string }[] }) => pix.devolucoes);
};
const ended = (id: string, count: number) =>
  eventually(`${count} refunds to end`, async () => {
    const { refunds } = await detail(id);
    const done = refunds.filter(({ state }: { state: string }) => /refunded|failed/.test(state));
    return done.length === count ? refunds : undefined;
  });

/** How often the dispatcher has looked for refunds to make. */
async function looks(): Promise<number> {
  const { text } = await call(`http://127.0.0.1:${dispatcher.port}/metrics`);
  const runs = /^payments_scan_runs_total\{scan="refunds",[^}]*outcome="done"\} (\d+)/m.exec(text)?.[1];
  return Number(runs ?? 0);
}

/** Waits until a look for refunds has begun and ended. */
async function nextScan(): Promise<void> {
  const before = await looks();
  await eventually('two more looks', async () => (await looks()) >= before + 2 || undefined);
}

/** Makes a rejected payment whose refund the bank refused. */
async function refusedRefund() {
  const body = await system.sell(store, { amount: 10 }, { valor: '7.50', until: 'review' });
  await faults({ refuseRefunds: true });
  await admin(`/admin/payments/${body.id}/status`, { body: { status: 'not_approved' } });
  const [refund] = await ended(body.id, 1);
  await faults();
  return { id: body.id, refund: refund! };
}

t.test('ordered anew under an id of its own, and made', async (t) => {
  const { id, refund } = await refusedRefund();
  t.match(refund, { state: 'failed', amount: 7.5, lastError: 'Recusada pelo PSP do pagador' });
  t.match(refund, { isOwed: false, owedAmount: null }, 'the service is to order it anew by itself');
  t.equal(Date.parse(refund.orderAgainAt!) - Date.parse(refund.updatedAt), 6_000_000);
  const refused = (await admin('/admin/refunds?state=failed')).body;
  t.match(refused, { total: 1, items: [{ id: refund.id, paymentId: id, storeId: store.id, isOwed: false }] });
  t.match((await admin('/admin/overview')).body.refunds, { unfinished: 0, owed: 0, toOrderAgain: 1 });

  const { status, body } = await retry(id, refund.id, { reason: 'conta reaberta' });
  t.equal(status, 202);
  t.match(body, { paymentId: id, amount: 7.5, state: 'requested', replaces: refund.id, reason: 'rejected' });
  t.not(body.id, refund.id);
  const [, made] = await ended(id, 2);
  t.match(made, { id: body.id, state: 'refunded' });
  const atBank = (await refundsAtBank(id)).map(({ status }: { status: string }) => status);
  t.strictSame(atBank, ['NAO_REALIZADO', 'DEVOLVIDO']);
  t.match((await admin('/admin/overview')).body.refunds, { unfinished: 0, owed: 0, toOrderAgain: 0 });
  const [listed] = (await admin('/admin/refunds')).body.items;
  t.match(listed, { id: refund.id, isOwed: false, orderAgainAt: null }, 'nothing is left to do for it');
  advance(6_000);
  await nextScan();
  t.equal((await refundsAtBank(id)).length, 2, 'nor does the service order it');
});

t.test('ordered anew by the service after each pause, then owed until a person acts', async (t) => {
  const { id, refund } = await refusedRefund();
  await faults({ refuseRefunds: true });
  await nextScan();
  t.equal((await detail(id)).refunds.length, 1, 'not before its time');
  advance(6_000);
  const second = (await ended(id, 2))[1]!;
  t.match(second, { state: 'failed', amount: 7.5, replaces: refund.id, reason: 'rejected', isOwed: false });
  t.equal(Date.parse(second.orderAgainAt!) - Date.parse(second.updatedAt), 60_000_000);
  advance(60_000);
  const [first, , third] = await ended(id, 3);
  t.match(third, { state: 'failed', replaces: second.id, isOwed: true, owedAmount: 7.5, orderAgainAt: null });
  t.match(first, { isOwed: false, orderAgainAt: null }, 'it is owed once');
  t.match((await admin('/admin/overview')).body.refunds, { owed: 1, owedAmount: 7.5, toOrderAgain: 0 });
  await faults();
  advance(600_000);
  await nextScan();
  t.equal((await refundsAtBank(id)).length, 3, 'the service has stopped');
  t.equal((await retry(id, third!.id)).status, 202);
  t.match((await ended(id, 4))[3], { state: 'refunded', amount: 7.5, replaces: third!.id });
  t.match((await admin('/admin/overview')).body.refunds, { owed: 0, owedAmount: 0, toOrderAgain: 0 });
  const atBank = await refundsAtBank(id);
  t.equal(atBank.filter(({ status }: { status: string }) => status === 'DEVOLVIDO').length, 1);
});

t.test('twenty administrators at once order only one', async (t) => {
  const { id, refund } = await refusedRefund();
  const answers = await Promise.all(Array.from({ length: 20 }, () => retry(id, refund.id)));
  t.equal(answers.filter(({ status }) => status === 202).length, 1);
  for (const answer of answers.filter(({ status }) => status !== 202))
    isError(t, answer, 409, 'A devolução já foi solicitada novamente.');
  await ended(id, 2);
  t.equal((await refundsAtBank(id)).length, 2);
  isError(t, await retry(id, refund.id), 409, 'A devolução já foi solicitada novamente.');
});

t.test('refused again, it is the new one that can be ordered anew', async (t) => {
  const { id, refund } = await refusedRefund();
  await faults({ refuseRefunds: true });
  const { body: second } = await retry(id, refund.id);
  await ended(id, 2);
  await faults();
  isError(t, await retry(id, refund.id), 409, 'A devolução já foi solicitada novamente.');
  const { body: third } = await retry(id, second.id);
  t.match(await ended(id, 3), [{}, { id: second.id, state: 'failed' }, { id: third.id, state: 'refunded' }]);
  isError(t, await retry(id, third!.id), 409, 'A devolução não foi recusada pelo banco.');
});

t.test('owed is what the bank has not taken back by itself meanwhile', async (t) => {
  const owed = async () => {
    const { refundsOwed, refundsOwedAmount } = await readBacklog(system.db, {
      timeoutMs: 30_000,
      parkedAfterMs: 0,
      now: new Date(),
    });
    return { refundsOwed, refundsOwedAmount };
  };
  t.same(await owed(), { refundsOwed: 0, refundsOwedAmount: 0 });
  const { id } = await refusedRefund();
  await faults({ refuseRefunds: true });
  advance(6_000);
  await ended(id, 2);
  advance(60_000);
  await ended(id, 3);
  await faults();
  t.same(await owed(), { refundsOwed: 1, refundsOwedAmount: 750 });
  const { endToEndId } = (await detail(id)).pix[0]!;
  const takenBack = async (valor: string, owedThen: number) => {
    await system.bank('/bank/refunds', { endToEndId, valor });
    await eventually(`${owedThen} to be owed`, async () =>
      (await owed()).refundsOwedAmount === owedThen ? true : undefined,
    );
  };
  await takenBack('3.00', 450);
  const { refunds } = await detail(id);
  t.match(refunds[2], { amount: 7.5, isOwed: true, owedAmount: 4.5 });
  t.match(refunds[3], { origin: 'bank', amount: 3, state: 'refunded', isOwed: false });
  await takenBack('4.50', 0);
  t.same(await owed(), { refundsOwed: 0, refundsOwedAmount: 0 });
  const message = 'Nada resta a devolver de um pagamento com status not_approved.';
  isError(t, await retry(id, refunds[2]!.id), 409, message);
});

t.test('a review whose refund was refused ends when the new one is accepted', async (t) => {
  const body = await system.sell(store, { amount: 10 }, { valor: '7.50', until: 'review' });
  await faults({ refuseRefunds: true });
  advance(1_860);
  const refused = (await ended(body.id, 1))[0]!;
  await faults();
  const { items } = (await admin('/admin/reviews')).body;
  t.match(items, [{ id: body.id, refundState: 'failed', received: 7.5, approvable: 7.5 }]);
  t.equal((await detail(body.id)).status, 'review', 'the bank has accepted nothing');
  const path = `/admin/payments/${body.id}/refunds/${refused.id}/retry`;
  t.equal((await admin(path, { method: 'POST' })).status, 202, 'a body is optional');
  await system.waitForStatus(store, body.id, 'not_approved');
  const { refunds } = await detail(body.id);
  t.match(refunds, [{ state: 'failed' }, { reason: 'review_timeout', state: 'refunded' }]);
});

t.test('what is the store’s now is not refunded', async (t) => {
  const body = await system.sell(store, { amount: 10 }, { valor: '7.50', until: 'review' });
  await faults({ refuseRefunds: true });
  advance(1_860);
  const refused = (await ended(body.id, 1))[0]!;
  await faults();
  const { status } = await admin(`/admin/payments/${body.id}/status`, { body: { status: 'approved' } });
  t.equal(status, 200, 'nothing has gone back');
  t.match(await detail(body.id), { status: 'approved', amount: 7.5, charged: 10 });
  const message = 'Nada resta a devolver de um pagamento com status approved.';
  isError(t, await retry(body.id, refused.id), 409, message);
  advance(6_000);
  await nextScan();
  const listed = (await admin('/admin/refunds')).body.items;
  t.match(
    listed.find((one: { id: string }) => one.id === refused.id),
    { isOwed: false, orderAgainAt: null },
  );
  t.match(await refundsAtBank(body.id), [{ status: 'NAO_REALIZADO' }]);
  t.match(await detail(body.id), { status: 'approved', amount: 7.5 });
});

t.test('a refund that does not exist, and what is no order', async (t) => {
  const { id, refund } = await refusedRefund();
  const nobody = '0190a5b0-0000-7000-8000-000000000000';
  for (const [payment, one] of [
    [id, nobody],
    [id, '%00'],
    [nobody, refund.id],
    ['x', refund.id],
    ['%00', '%00'],
  ] as const)
    isError(t, await retry(payment, one), 404, 'Devolução não encontrada.');
  isError(t, await retry(id, refund.id, '[]'), 400, 'body must be an object');
  isError(t, await retry(id, refund.id, { reason: 7 }), 400, 'reason must be a string');
  isError(t, await retry(id, refund.id, { reason: 'a\0' }), 400, 'reason must not contain null characters');
  const states = 'state must be one of the following values: requested, processing, failed';
  isError(t, await admin('/admin/refunds?state=refunded'), 400, states);
  isError(t, await admin('/admin/refunds?storeId=x'), 400, 'storeId must be a UUID');
  t.equal((await refundsAtBank(id)).length, 1, 'nothing was ordered');
});
