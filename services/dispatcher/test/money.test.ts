import t from 'tap';
import { openShop, openSystem, type Shop, story, testClock } from './shop.ts';

// The rules of money (Contract: transitions). The system's clock advances by half an hour.
const clock = testClock();
const system = await openSystem(t, { now: clock.now });
const shop = await openShop(t, system);
const halfAnHour = 31 * 60;

/** The refunds of a payment at the bank: `[endToEndId, valor, status]`. */
async function refundsAtBank(at: Shop, payment: { id: string }) {
  const { pix } = await at.atBank(payment);
  return pix.flatMap((one) => one.devolucoes.map(({ valor, status }) => [one.endToEndId, valor, status]));
}

t.test('the exact amount: approved', async (t) => {
  const payment = await shop.charge(12.34);
  const { endToEndId } = await shop.pay(payment);
  await shop.untilStatus(payment, 'approved');
  t.same(story(await shop.untilWebhooks(payment, 2)), ['created pending', 'pending approved']);
  const detail = await shop.detail(payment);
  t.match(detail.pix, [{ endToEndId, amount: 12.34, effect: 'approved' }]);
  t.match(detail.events, [{ actor: 'store' }, { actor: 'psp', reason: 'paid' }]);
  t.same(detail.refunds, []);
});

t.test(
  'less or more than the amount: review, and after half an hour one refund and not_approved',
  async (t) => {
    const cases = [
      { valor: 9.99, refunded: '9.99' },
      { valor: 10.01, refunded: '10.01' },
      { valor: 0.01, refunded: '0.01' },
      { valor: 2999.99, refunded: '2999.99' },
    ];
    const payments = await Promise.all(cases.map(() => shop.charge(10)));
    const paid = await Promise.all(
      payments.map((payment, index) => shop.pay(payment, { valor: cases[index]!.valor })),
    );
    for (const payment of payments) {
      const review = await shop.untilStatus(payment, 'review');
      t.equal(review.amount, 10, 'the payment keeps its own amount');
      t.match((await shop.detail(payment)).events[1], { reason: 'amount_differs', actor: 'psp' });
    }
    t.same(await refundsAtBank(shop, payments[0]!), [], 'nothing goes back while the review lasts');

    clock.advance(halfAnHour);
    for (const [index, payment] of payments.entries()) {
      await shop.untilStatus(payment, 'not_approved');
      t.same(await refundsAtBank(shop, payment), [
        [paid[index]!.endToEndId, cases[index]?.refunded, 'DEVOLVIDO'],
      ]);
      t.same(story(await shop.untilWebhooks(payment, 3)), [
        'created pending',
        'pending review',
        'review not_approved',
      ]);
      t.match((await shop.detail(payment)).events[2], { actor: 'review-timeout', reason: 'review_timeout' });
    }
  },
);

t.test(
  'an exact amount that reaches the store’s reviewAbove: review; one centavo less: approved',
  async (t) => {
    const careful = await openShop(t, system, { reviewAbove: 100 });
    const [below, at, above] = [
      await careful.charge(99.99),
      await careful.charge(100),
      await careful.charge(101),
    ];
    for (const payment of [below, at, above]) await careful.pay(payment);
    await careful.untilStatus(below, 'approved');
    await careful.untilStatus(at, 'review');
    await careful.untilStatus(above, 'review');
    t.match((await careful.detail(at)).events[1], { reason: 'review_above' });
  },
);

t.test('a second Pix goes back at once and changes no status', async (t) => {
  const payment = await shop.charge(10);
  const first = await shop.pay(payment);
  await shop.untilStatus(payment, 'approved');
  const second = await shop.pay(payment);
  const detail = await shop.untilDetail(
    payment,
    'the refund',
    ({ refunds }) => refunds[0]?.state === 'refunded',
  );
  t.match(detail, {
    status: 'approved',
    refunds: [{ endToEndId: second.endToEndId, amount: 10, reason: 'second_pix' }],
  });
  t.same(await refundsAtBank(shop, payment), [[second.endToEndId, '10.00', 'DEVOLVIDO']]);
  t.not(first.endToEndId, second.endToEndId);
  t.equal(detail.events.length, 2, 'it has no event');
  t.equal((await shop.untilWebhooks(payment, 2)).length, 2);
});

t.test(
  'a second Pix during a review goes back at once, and the first one with the review’s end',
  async (t) => {
    const payment = await shop.charge(10);
    const first = await shop.pay(payment, { valor: 7 });
    await shop.untilStatus(payment, 'review');
    const second = await shop.pay(payment, { valor: 10 });
    await shop.untilDetail(payment, 'the refund', ({ refunds }) => refunds[0]?.state === 'refunded');
    t.equal((await shop.read(payment)).status, 'review', 'a second Pix of the exact amount does not approve');
    t.same(await refundsAtBank(shop, payment), [[second.endToEndId, '10.00', 'DEVOLVIDO']]);
    clock.advance(halfAnHour);
    await shop.untilStatus(payment, 'not_approved');
    t.same(await refundsAtBank(shop, payment), [
      [first.endToEndId, '7.00', 'DEVOLVIDO'],
      [second.endToEndId, '10.00', 'DEVOLVIDO'],
    ]);
  },
);

t.test('two Pix that the bank reports in one call: the first counts, the second goes back', async (t) => {
  const payment = await shop.charge(10);
  await system.bank('/bank/faults', { batchCallbacksMs: 200 });
  t.teardown(() => system.bank('/bank/faults', {}));
  const [first, second] = [await shop.pay(payment), await shop.pay(payment)];
  const detail = await shop.untilDetail(
    payment,
    'the refund',
    ({ refunds }) => refunds[0]?.state === 'refunded',
  );
  t.equal(detail.status, 'approved');
  t.match(detail.pix, [
    { endToEndId: first.endToEndId, effect: 'approved' },
    { endToEndId: second.endToEndId, effect: 'refund' },
  ]);
  t.same(await refundsAtBank(shop, payment), [[second.endToEndId, '10.00', 'DEVOLVIDO']]);
});

t.test('two Pix of a wrong amount in one call: one review, the second goes back', async (t) => {
  const payment = await shop.charge(10);
  await system.bank('/bank/faults', { batchCallbacksMs: 200 });
  t.teardown(() => system.bank('/bank/faults', {}));
  const [, second] = [await shop.pay(payment, { valor: 4 }), await shop.pay(payment, { valor: 6 })];
  await shop.untilDetail(payment, 'the refund', ({ refunds }) => refunds[0]?.state === 'refunded');
  t.equal((await shop.read(payment)).status, 'review', 'two wrong amounts don’t add up');
  t.same(await refundsAtBank(shop, payment), [[second.endToEndId, '6.00', 'DEVOLVIDO']]);
});

t.test(
  'a Pix after the payment was cancelled: the charge is withdrawn at the bank, the money goes to review',
  async (t) => {
    const payment = await shop.charge(10);
    t.equal((await shop.decide(payment, 'not_approved')).status, 200);
    await shop.untilDetail(
      payment,
      'the charge to be withdrawn',
      ({ chargeState }) => chargeState === 'closed',
    );
    t.equal((await shop.atBank(payment)).status, 'REMOVIDA_PELO_USUARIO_RECEBEDOR');
    const { endToEndId } = await shop.pay(payment);
    await shop.untilStatus(payment, 'review');
    clock.advance(halfAnHour);
    await shop.untilStatus(payment, 'not_approved');
    t.same(await refundsAtBank(shop, payment), [[endToEndId, '10.00', 'DEVOLVIDO']]);
    t.same(story(await shop.untilWebhooks(payment, 4)), [
      'created pending',
      'pending not_approved',
      'not_approved review',
      'review not_approved',
    ]);
  },
);

t.test('a Pix that overtakes the cancellation at the bank is found, and goes to review', async (t) => {
  const payment = await shop.charge(10);
  await system.bank('/bank/faults', { dropCallbacks: true, status: 503, only: ['patchCob', 'listPix'] });
  t.teardown(() => system.bank('/bank/faults', {}));
  await shop.decide(payment, 'not_approved');
  await shop.pay(payment);
  await system.bank('/bank/faults', { status: 503, only: ['listPix'] });
  await shop.untilStatus(payment, 'review');
  t.equal((await shop.atBank(payment)).status, 'CONCLUIDA');
});

t.test('once refunded, a further Pix goes back at once', async (t) => {
  const payment = await shop.charge(10);
  await shop.pay(payment, { valor: 5 });
  await shop.untilStatus(payment, 'review');
  t.equal((await shop.decide(payment, 'not_approved')).status, 200);
  const late = await shop.pay(payment);
  await shop.untilDetail(
    payment,
    'both refunds',
    ({ refunds }) =>
      refunds.length === 2 && refunds.every(({ state }: { state: string }) => state === 'refunded'),
  );
  t.equal((await shop.read(payment)).status, 'not_approved');
  t.match((await refundsAtBank(shop, payment))[1], [late.endToEndId, '10.00', 'DEVOLVIDO']);
});
