import type { CreatedPayment, Paid } from '@payments/testing/answers';
import { patienceMs } from '@payments/testing/patience';
import t from 'tap';
import { openShop, openSystem, type Shop, story, testClock, withFaults } from './shop.ts';

// The decisions of an administrator, and the bank's own returns.
const clock = testClock();
const retry = 3_600;
const env = { REFUND_RETRY_SECONDS: String(retry) };
const system = await openSystem(t, { now: clock.now, databasePatienceMs: patienceMs, env });
const shop = await openShop(t, system);
const halfAnHour = 31 * 60;

async function inReview(at: Shop, amount = 10, valor = 5): Promise<{ payment: CreatedPayment; pix: Paid }> {
  const payment = await at.charge(amount);
  const pix = await at.pay(payment, { valor });
  await at.untilStatus(payment, 'review');
  return { payment, pix };
}

async function approved(at: Shop): Promise<CreatedPayment> {
  const payment = await at.charge(10);
  await at.pay(payment);
  await at.untilStatus(payment, 'approved');
  return payment;
}

const refundsAtBank = async (payment: { id: string }) =>
  (await shop.atBank(payment)).pix.flatMap((pix) => pix.devolucoes);

t.test('an administrator approves a review: approved, nothing goes back', async (t) => {
  const { payment } = await inReview(shop);
  const { status, body } = await shop.decide(payment, 'approved');
  t.match({ status, body }, { status: 200, body: { id: payment.id, status: 'approved' } });
  clock.advance(halfAnHour);
  t.same(story(await shop.untilWebhooks(payment, 3)), [
    'created pending',
    'pending review',
    'review approved',
  ]);
  t.same(await refundsAtBank(payment), []);
});

t.test(
  'an administrator rejects a review: not_approved at once, and what was received goes back',
  async (t) => {
    const { payment } = await inReview(shop);
    t.equal((await shop.decide(payment, 'not_approved')).body.status, 'not_approved');
    await shop.untilDetail(payment, 'the refund', ({ refunds }) => refunds[0]?.state === 'refunded');
    t.match(await refundsAtBank(payment), [{ valor: '5.00', status: 'DEVOLVIDO' }]);
    clock.advance(halfAnHour);
    t.same(story(await shop.untilWebhooks(payment, 3)), [
      'created pending',
      'pending review',
      'review not_approved',
    ]);
    t.match((await shop.detail(payment)).refunds, [{ reason: 'rejected', origin: 'service' }]);
  },
);

t.test('a review whose refund is in progress can be rejected, but not approved', async (t) => {
  const [one, other] = [await inReview(shop), await inReview(shop)];
  await withFaults(system, { status: 503, only: ['putDevolucao', 'getDevolucao'] }, async () => {
    clock.advance(halfAnHour);
    for (const { payment } of [one, other]) {
      await shop.untilDetail(payment, 'the refund’s order', ({ refunds }) => refunds.length === 1);
      const { status, body } = await shop.decide(payment, 'approved');
      t.same(
        { status, body },
        { status: 409, body: { statusCode: 409, message: 'O pagamento está sendo devolvido.' } },
      );
      t.equal((await shop.read(payment)).status, 'review', 'the status waits for the PSP');
    }
    t.equal((await shop.decide(other.payment, 'not_approved')).status, 200);
  });
  clock.advance(60);
  await shop.untilStatus(one.payment, 'not_approved');
  for (const { payment } of [one, other]) {
    await shop.untilDetail(payment, 'the refund', ({ refunds }) => refunds[0]?.state === 'refunded');
    t.equal((await refundsAtBank(payment)).length, 1);
    t.same(story(await shop.untilWebhooks(payment, 3)).at(-1), 'review not_approved');
  }
});

t.test(
  'a review whose refund the PSP did not make stays in review: a person approves it, or it is ordered again',
  async (t) => {
    const [one, other] = [await inReview(shop), await inReview(shop)];
    await withFaults(system, { refuseRefunds: true }, async () => {
      clock.advance(halfAnHour);
      for (const { payment } of [one, other]) {
        await shop.untilDetail(payment, 'the failure', ({ refunds }) => refunds[0]?.state === 'failed');
      }
    });
    clock.advance(retry / 2);
    t.equal((await shop.read(one.payment)).status, 'review');
    const approval = await shop.decide(one.payment, 'approved');
    t.match(approval, { status: 200, body: { status: 'approved', amount: 5 } }, 'its amount is what came');
    t.equal((await shop.decide(other.payment, 'not_approved')).status, 200);
    const waiting = await shop.detail(other.payment);
    t.match(waiting.refunds, [{ state: 'failed', isOwed: false }]);
    t.equal(waiting.refunds.length, 1, 'a decision does not speed it up');
    clock.advance(retry / 2);
    const { refunds } = await shop.untilDetail(other.payment, 'the second refund', (detail) =>
      detail.refunds.some(({ state }) => state === 'refunded'),
    );
    t.match(refunds, [
      { state: 'failed', reason: 'review_timeout', orderAgainAt: null },
      { state: 'refunded', reason: 'review_timeout', replaces: refunds[0]!.id, amount: 5 },
    ]);
    t.match(await refundsAtBank(other.payment), [{ status: 'NAO_REALIZADO' }, { status: 'DEVOLVIDO' }]);
    t.equal(
      (await refundsAtBank(one.payment)).length,
      1,
      'an approved payment’s refund is not ordered again',
    );
  },
);

t.test('twenty administrators at once: one decision is made, the others are refused', async (t) => {
  const { payment } = await inReview(shop);
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) => shop.decide(payment, index % 2 ? 'approved' : 'not_approved')),
  );
  const statuses = answers.map(({ status }) => status);
  t.equal(statuses.filter((status) => status === 200).length, 1);
  t.equal(statuses.filter((status) => status === 409).length, 19);
  const detail = await shop.detail(payment);
  t.equal(detail.events.length, 3);
  t.equal(detail.refunds.length, detail.status === 'not_approved' ? 1 : 0);
});

const every = [
  'pending',
  'approved',
  'review',
  'not_approved',
  'paid',
  'withdrawal_processing',
  'receipt_sent',
  'rejected',
];
const allowed: Record<string, string[]> = {
  pending: ['not_approved'],
  approved: ['paid'],
  review: ['approved', 'not_approved'],
  not_approved: [],
  paid: ['withdrawal_processing'],
  withdrawal_processing: ['receipt_sent', 'rejected'],
  receipt_sent: [],
  rejected: ['withdrawal_processing'],
};

t.test('every forbidden move is a 409 that changes nothing', async (t) => {
  const quiet = await openShop(t, system);
  const ways: Record<string, string[]> = {
    paid: ['paid'],
    withdrawal_processing: ['paid', 'withdrawal_processing'],
    receipt_sent: ['paid', 'withdrawal_processing', 'receipt_sent'],
    rejected: ['paid', 'withdrawal_processing', 'rejected'],
  };
  for (const from of every) {
    const payment =
      from === 'review'
        ? (await inReview(quiet)).payment
        : from === 'pending' || from === 'not_approved'
          ? await quiet.charge(10)
          : await approved(quiet);
    for (const step of from === 'not_approved' ? [from] : (ways[from] ?? [])) {
      t.equal((await quiet.decide(payment, step)).status, 200, `to ${step}`);
    }
    const before = await quiet.detail(payment);
    t.equal(before.status, from);
    for (const to of every.filter((status) => !allowed[from]?.includes(status))) {
      const { status, body } = await quiet.decide(payment, to);
      const message = `A transição de ${from} para ${to} não é permitida.`;
      t.same({ status, body }, { status: 409, body: { statusCode: 409, message } });
    }
    const after = await quiet.detail(payment);
    t.same([after.status, after.events.length, after.refunds.length], [from, before.events.length, 0]);
  }
});

t.test(
  'approved, paid, withdrawn, rejected, withdrawn again, receipt sent: each with its webhook',
  async (t) => {
    const payment = await approved(shop);
    const steps = ['paid', 'withdrawal_processing', 'rejected', 'withdrawal_processing', 'receipt_sent'];
    for (const step of steps) t.equal((await shop.decide(payment, step)).status, 200, step);
    t.same(story(await shop.untilWebhooks(payment, 7)), [
      'created pending',
      'pending approved',
      'approved paid',
      'paid withdrawal_processing',
      'withdrawal_processing rejected',
      'rejected withdrawal_processing',
      'withdrawal_processing receipt_sent',
    ]);
  },
);

t.test(
  'the bank takes an approved payment back (MED): the amount falls, and with the rest the payment is not_approved',
  async (t) => {
    const payment = await shop.charge(10);
    const { endToEndId } = await shop.pay(payment);
    await shop.untilStatus(payment, 'approved');
    await system.bank('/bank/refunds', { endToEndId, valor: '4.00', natureza: 'MED_OPERACIONAL' });
    const part = await shop.untilDetail(payment, 'the first MED', ({ amount }) => amount === 6);
    t.match(part, { status: 'approved', charged: 10 });
    t.equal(part.events.length, 2, 'the status stays');
    await system.bank('/bank/refunds', { endToEndId, natureza: 'MED_FRAUDE' });
    await shop.untilStatus(payment, 'not_approved');
    const detail = await shop.detail(payment);
    const med = { origin: 'bank', state: 'refunded', endToEndId };
    t.match(detail.refunds, [
      { ...med, amount: 4, reason: 'MED_OPERACIONAL' },
      { ...med, amount: 6, reason: 'MED_FRAUDE' },
    ]);
    t.match(detail.refunds[0]?.rtrId, /^D/);
    t.equal(detail.amount, 10, 'the charged amount: no money is confirmed');
    t.match(detail.events[2], { actor: 'refund', reason: 'returned_by_bank', previousStatus: 'approved' });
    t.same(story(await shop.untilWebhooks(payment, 3)).at(-1), 'approved not_approved');
  },
);

t.test('a MED in progress is followed to its end', async (t) => {
  const payment = await shop.charge(10);
  const { endToEndId } = await shop.pay(payment);
  await shop.untilStatus(payment, 'approved');
  await withFaults(system, { slowRefundsMs: 60_000 }, async () => {
    await system.bank('/bank/refunds', { endToEndId });
    const known = await shop.pay(payment);
    await shop.untilDetail(payment, 'the MED', ({ refunds }) =>
      refunds.some(({ origin, state }) => origin === 'bank' && state === 'processing'),
    );
    t.ok(known);
    const { status, body } = await shop.decide(payment, 'paid');
    const message = 'Há uma devolução em andamento.';
    t.same({ status, body }, { status: 409, body: { statusCode: 409, message } });
    t.match(await shop.read(payment), { status: 'approved', amount: 10 }, 'it may fail');
  });
  await system.bank('/bank/clock', { advanceSeconds: 61 });
  await shop.untilDetail(payment, 'the MED’s end', ({ refunds }) =>
    refunds.every(({ state }) => state === 'refunded'),
  );
  await shop.untilStatus(payment, 'not_approved');
  await system.bank('/bank/clock', {});
});

t.test('a review that the bank took back, whole or in part, refunds at most what it got', async (t) => {
  const [whole, part] = [await inReview(shop), await inReview(shop)];
  await system.bank('/bank/refunds', { endToEndId: whole.pix.endToEndId });
  await system.bank('/bank/refunds', { endToEndId: part.pix.endToEndId, valor: '2.00' });
  for (const { payment } of [whole, part]) {
    await shop.untilDetail(payment, 'the MED', ({ refunds }) => refunds[0]?.state === 'refunded');
  }
  clock.advance(halfAnHour);
  for (const { payment } of [whole, part]) {
    await shop.untilStatus(payment, 'not_approved');
    t.same(story(await shop.untilWebhooks(payment, 3)).at(-1), 'review not_approved');
  }
  t.match(await refundsAtBank(whole.payment), [{ valor: '5.00', natureza: 'MED_FRAUDE' }]);
  t.equal((await refundsAtBank(whole.payment)).length, 1);
  t.match(await refundsAtBank(part.payment), [{ valor: '2.00' }, { valor: '3.00', natureza: 'ORIGINAL' }]);
});

t.test('a MED that comes between the order of a refund and the PSP’s taking it', async (t) => {
  const [whole, part] = [await inReview(shop), await inReview(shop)];
  await withFaults(system, { status: 503, only: ['putDevolucao'], dropCallbacks: true }, async () => {
    clock.advance(halfAnHour);
    for (const { payment } of [whole, part]) {
      await shop.untilDetail(payment, 'the order', ({ refunds }) => refunds.length === 1);
    }
    await system.bank('/bank/refunds', { endToEndId: whole.pix.endToEndId });
    await system.bank('/bank/refunds', { endToEndId: part.pix.endToEndId, valor: '2.00' });
  });
  clock.advance(60);
  for (const { payment } of [whole, part]) await shop.untilStatus(payment, 'not_approved');
  t.match(await refundsAtBank(whole.payment), [{ valor: '5.00', natureza: 'MED_FRAUDE' }]);
  t.equal((await refundsAtBank(whole.payment)).length, 1);
  t.match(await refundsAtBank(part.payment), [{ valor: '2.00' }, { valor: '3.00', natureza: 'ORIGINAL' }]);
  t.match((await shop.detail(whole.payment)).refunds, [
    { state: 'failed' },
    { state: 'refunded', origin: 'bank' },
  ]);
});
