import { eventually } from '@payments/testing/system';
import t from 'tap';
import { openShop, openSystem, story, testClock, withFaults } from './shop.ts';

// What banks do in practice: they are late, repeat themselves, lose answers, and have another clock.
const clock = testClock();
const system = await openSystem(t, { now: clock.now });
const shop = await openShop(t, system);

const txidOf = (payment: { id: string }) => payment.id.replaceAll('-', '');

/** A callback that the bank made. */
type Told = { endToEndIds: string[] };

t.test(
  'the callback is late: the status changes when it comes, or when the list shows the Pix',
  async (t) => {
    const payment = await shop.charge(10);
    await withFaults(
      system,
      { delayCallbacksMs: 300, status: 503, only: ['listPix'], times: 2 },
      async () => {
        await shop.pay(payment);
        await shop.untilStatus(payment, 'approved');
      },
    );
    t.same(story(await shop.untilWebhooks(payment, 2)), ['created pending', 'pending approved']);
  },
);

t.test('the callback is repeated: every callback twice, and those of refunds, too', async (t) => {
  await withFaults(system, { duplicateCallbacks: true, delayCallbacksMs: 20 }, async () => {
    const payment = await shop.charge(10);
    await shop.pay(payment);
    await shop.untilStatus(payment, 'approved');
    await shop.pay(payment);
    await shop.untilDetail(payment, 'the refund', ({ refunds }) => refunds[0]?.state === 'refunded');
    await eventually('all reports', async () => {
      const { attempts } = (await system.bank('/bank/callbacks')).body;
      const { pix } = await shop.atBank(payment);
      const reports = attempts.filter(({ endToEndIds }: Told) =>
        pix.some(({ endToEndId }) => endToEndIds.includes(endToEndId)),
      );
      return reports.length >= 6 || undefined;
    });
    const detail = await shop.detail(payment);
    t.match(detail, {
      status: 'approved',
      pix: { length: 2 },
      refunds: { length: 1 },
      events: { length: 2 },
    });
  });
});

t.test('paid late, too little and twice, with every callback sent twice and all in one call', async (t) => {
  await withFaults(system, { duplicateCallbacks: true, batchCallbacksMs: 100 }, async () => {
    const [late, little, twice] = [await shop.charge(10), await shop.charge(10), await shop.charge(10)];
    await shop.decide(late, 'not_approved');
    await shop.pay(late, { late: true });
    await shop.pay(little, { valor: 9.99 });
    await shop.pay(twice);
    await shop.pay(twice);
    await shop.untilStatus(late, 'review');
    await shop.untilStatus(little, 'review');
    await shop.untilDetail(twice, 'the refund', ({ refunds }) => refunds[0]?.state === 'refunded');
    t.equal((await shop.read(twice)).status, 'approved');
    clock.advance(31 * 60);
    for (const payment of [late, little]) {
      await shop.untilStatus(payment, 'not_approved');
      t.equal((await shop.atBank(payment)).pix[0]?.devolucoes.length, 1);
    }
  });
});

t.test('a time-out on creation: 200 without a code, then the same charge, registered once', async (t) => {
  const system = await openSystem(t, { pixTimeoutMs: 3_000 });
  const shop = await openShop(t, system);
  const payment = await withFaults(system, { hang: true, only: ['putCob'], times: 1 }, () => shop.charge(10));
  t.match(payment, { status: 'pending', qrCodeUrl: null, qrCopyPaste: null });
  await shop.pay(payment);
  await shop.untilStatus(payment, 'approved');
  t.equal((await shop.atBank(payment)).txid, txidOf(payment));
  t.match(await shop.read(payment), { qrCodeUrl: /\/qr\/.*\.png$/, qrCopyPaste: /^000201/ });
});

t.test('the response to the registration is lost: the bank’s charge is used', async (t) => {
  const payment = await withFaults(system, { loseChargeAnswers: true }, async () => {
    const created = await shop.charge(10);
    t.equal(created.qrCopyPaste, null);
    t.equal((await shop.atBank(created)).status, 'ATIVA', 'though the bank has it');
    return created;
  });
  await shop.pay(payment);
  await shop.untilStatus(payment, 'approved');
  t.equal((await shop.atBank(payment)).revisao <= 1, true);
});

t.test(
  'the connection is cut, the code is missing, the bank lost its tokens: creation goes on',
  async (t) => {
    await eventually(
      'the bank takes charges again',
      async () => (await shop.charge(10)).qrCopyPaste ?? undefined,
    );
    await withFaults(system, { disconnect: true, only: ['putCob'], times: 1 }, async () => {
      t.match(await shop.charge(10), { qrCopyPaste: /^000201/ }, 'repeating our PUT is safe');
    });
    await withFaults(system, { omitPixCopiaECola: true }, async () => {
      const payment = await shop.charge(10);
      t.match(payment.qrCopyPaste, /^000201.*br\.gov\.bcb\.pix/, 'built from the location');
      await shop.pay(payment);
      await shop.untilStatus(payment, 'approved');
    });
    await fetch(`${system.bankUrl}/bank/tokens`, { method: 'DELETE' });
    t.match(await shop.charge(10), { qrCopyPaste: /^000201/ });
  },
);

t.test(
  'a slow refund: the review ends when the bank accepts it; the refund ends with DEVOLVIDO',
  async (t) => {
    const payment = await shop.charge(10);
    await shop.pay(payment, { valor: 4 });
    await shop.untilStatus(payment, 'review');
    await withFaults(system, { slowRefundsMs: 600_000 }, async () => {
      clock.advance(31 * 60);
      await shop.untilStatus(payment, 'not_approved');
    });
    t.match((await shop.detail(payment)).refunds, [{ state: 'processing', amount: 4 }]);
    await system.bank('/bank/clock', { advanceSeconds: 601 });
    await shop.untilDetail(payment, 'the refund’s end', ({ refunds }) => refunds[0]?.state === 'refunded');
    await system.bank('/bank/clock', {});
    t.equal((await shop.detail(payment)).events.length, 3, 'one change of status, not two');
  },
);

t.test('callbacks out of order: an old one can’t undo later changes', async (t) => {
  const payment = await shop.charge(10);
  await withFaults(system, { delayCallbacksMs: 1_500 }, async () => {
    await shop.pay(payment);
    // The list reports first; the callback comes when the payment has moved on.
    await shop.untilStatus(payment, 'approved');
    for (const status of ['paid', 'withdrawal_processing'])
      t.equal((await shop.decide(payment, status)).status, 200);
  });
  const { body } = await eventually('the callback', async () => {
    const answer = await system.bank('/bank/callbacks');
    const { pix } = await shop.atBank(payment);
    const told = answer.body.attempts.some(({ endToEndIds }: Told) =>
      endToEndIds.includes(pix[0]!.endToEndId),
    );
    return told ? answer : undefined;
  });
  t.equal(body.attempts.at(-1).outcome, 'delivered');
  const detail = await shop.detail(payment);
  t.equal(detail.status, 'withdrawal_processing');
  t.equal(detail.events.length, 4);
  t.same(detail.refunds, []);
});

t.test('the bank’s clock is hours off: no payment is late or early because of it', async (t) => {
  for (const hours of [-5, 5]) {
    await system.bank('/bank/clock', { advanceSeconds: hours * 3_600 });
    const [exact, wrong] = [await shop.charge(10), await shop.charge(10)];
    await shop.pay(exact);
    await shop.pay(wrong, { valor: 3 });
    await shop.untilStatus(exact, 'approved');
    await shop.untilStatus(wrong, 'review');
    const [pix] = (await shop.detail(exact)).pix;
    const offHours = (Date.parse(String(pix?.paidAt)) - Date.now()) / 3_600_000;
    t.ok(Math.abs(offHours - hours) < 0.1, 'the bank’s time is kept');
    clock.advance(31 * 60);
    await shop.untilStatus(wrong, 'not_approved');
    await system.bank('/bank/clock', {});
  }
});
