import { readBacklog } from '@payments/database/backlog';
import { eventually, startSystem } from '@payments/testing/system';
import t from 'tap';
import { isError } from './expectations.ts';

/** A devolução that the bank refused (NAO_REALIZADO) is ordered anew by a person: once, and never too much. */
let offsetMs = 0;
const system = await startSystem({ now: () => new Date(Date.now() + offsetMs) });
t.teardown(system.stop);
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
  eventually(10_000, `${count} refunds to end`, async () => {
    const { refunds } = await detail(id);
    const done = refunds.filter(({ state }: { state: string }) => /refunded|failed/.test(state));
    return done.length === count ? refunds : undefined;
  });

/** A payment that was rejected, and whose refund the bank refused. */
async function refusedRefund() {
  const { body } = await system.api('/api-public/payments', { token: store.token, body: { amount: 10 } });
  await system.bank('/bank/pay', { pixCopiaECola: body.qrCopyPaste, valor: '7.50' });
  await system.waitForStatus(store, body.id, 'review');
  await faults({ refuseRefunds: true });
  await admin(`/admin/payments/${body.id}/status`, { body: { status: 'not_approved' } });
  const [refund] = await ended(body.id, 1);
  await faults();
  return { id: body.id as string, refund };
}

t.test('ordered anew under an id of its own, and made', async (t) => {
  const { id, refund } = await refusedRefund();
  t.match(refund, { state: 'failed', amount: 7.5, lastError: 'Recusada pelo PSP do pagador' });
  const owed = (await admin('/admin/refunds?state=failed')).body;
  t.match(owed, { total: 1, items: [{ id: refund.id, paymentId: id, storeId: store.id, isOwed: true }] });
  t.match((await admin('/admin/overview')).body.refunds, { unfinished: 0, owed: 1 });

  const { status, body } = await retry(id, refund.id, { reason: 'conta reaberta' });
  t.equal(status, 202);
  t.match(body, { paymentId: id, amount: 7.5, state: 'requested', replaces: refund.id, reason: 'rejected' });
  t.not(body.id, refund.id);
  const [, made] = await ended(id, 2);
  t.match(made, { id: body.id, state: 'refunded' });
  const atBank = (await refundsAtBank(id)).map(({ status }: { status: string }) => status);
  t.strictSame(atBank, ['NAO_REALIZADO', 'DEVOLVIDO']);
  t.match((await admin('/admin/overview')).body.refunds, { unfinished: 0, owed: 0 });
  const [listed] = (await admin('/admin/refunds')).body.items;
  t.match(listed, { id: refund.id, isOwed: false }, 'the refused one is owed no more');
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
  isError(t, await retry(id, third.id), 409, 'A devolução não foi recusada pelo banco.');
});

t.test('money stays owed while the bank took back only a part of it by itself', async (t) => {
  const since = { timeoutMs: 5_000, parkedAfterMs: 0, now: new Date() };
  const owed = async () => (await readBacklog(system.db, since)).refundsOwed;
  const before = await owed();
  const { id, refund } = await refusedRefund();
  t.equal(await owed(), before + 1);
  const [pix] = (await detail(id)).pix;
  const at = new Date();
  const takenBack = async (refundId: string, amount: number) => {
    const of = { id: refundId, end_to_end_id: pix.endToEndId, payment_id: id, amount };
    const how = { origin: 'bank', reason: 'MED_FRAUDE', state: 'refunded', rtr_id: null } as const;
    const rest = {
      try_at: null,
      created_at: at,
      updated_at: at,
      claim_id: null,
      last_error: null,
      replaces: null,
    };
    await system.db
      .insertInto('refunds')
      .values({ ...of, ...how, ...rest })
      .execute();
  };
  await takenBack('med1', 300);
  t.equal(await owed(), before + 1);
  t.match((await admin('/admin/refunds?state=failed')).body.items[0], { id: refund.id, isOwed: true });
  await takenBack('med2', 450);
  t.equal(await owed(), before);
});

t.test('a review whose refund was refused ends when the new one is accepted', async (t) => {
  const { body } = await system.api('/api-public/payments', { token: store.token, body: { amount: 10 } });
  await system.bank('/bank/pay', { pixCopiaECola: body.qrCopyPaste, valor: '7.50' });
  await system.waitForStatus(store, body.id, 'review');
  await faults({ refuseRefunds: true });
  offsetMs = 31 * 60_000;
  const [refused] = await ended(body.id, 1);
  await faults();
  t.match((await admin('/admin/reviews')).body.items, [{ id: body.id, refundState: 'failed' }]);
  const path = `/admin/payments/${body.id}/refunds/${refused.id}/retry`;
  t.equal((await admin(path, { method: 'POST' })).status, 202, 'a body is optional');
  await system.waitForStatus(store, body.id, 'not_approved');
  const { refunds } = await detail(body.id);
  t.match(refunds, [{ state: 'failed' }, { reason: 'review_timeout', state: 'refunded' }]);
});

t.test('what is the store’s now is not refunded', async (t) => {
  const { body } = await system.api('/api-public/payments', { token: store.token, body: { amount: 10 } });
  await system.bank('/bank/pay', { pixCopiaECola: body.qrCopyPaste, valor: '7.50' });
  await system.waitForStatus(store, body.id, 'review');
  await admin(`/admin/payments/${body.id}/status`, { body: { status: 'approved' } });
  // As a review that timed out leaves it whose refund the bank refused, and that was approved then.
  const [pix] = (await detail(body.id)).pix;
  const at = new Date();
  const refund = { id: 'refused', end_to_end_id: pix.endToEndId, payment_id: body.id, amount: 750 };
  const rest = { origin: 'service', reason: 'review_timeout', state: 'failed', rtr_id: null } as const;
  const times = { try_at: null, created_at: at, updated_at: at };
  await system.db
    .insertInto('refunds')
    .values({ ...refund, ...rest, ...times, claim_id: null, last_error: null, replaces: null })
    .execute();
  const message = 'O valor de um pagamento com status approved não é devolvido.';
  isError(t, await retry(body.id, 'refused'), 409, message);
  const listed = (await admin('/admin/refunds')).body.items;
  t.match(
    listed.find((one: { id: string }) => one.id === 'refused'),
    { isOwed: false },
  );
  t.equal((await refundsAtBank(body.id)).length, 0);
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
