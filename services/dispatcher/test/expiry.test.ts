import t from 'tap';
import { openShop, openSystem, story, testClock, withFaults } from './shop.ts';

// The system's clock and the bank's advance by a day. The bank's callbacks and list are off, so only reading the charge
// shows a Pix.
const clock = testClock();
const system = await openSystem(t, { now: clock.now });
const shop = await openShop(t, system);
const aDay = 86_400;
// The default of CHARGE_GRACE_SECONDS.
const grace = 120;
const untold = { dropCallbacks: true, status: 400, only: ['listPix'] };

async function advance(seconds: number): Promise<void> {
  clock.advance(seconds);
  await system.bank('/bank/clock', { advanceSeconds: seconds });
}

t.test('nobody paid: not_approved some time after the charge expired, not before', async (t) => {
  const payment = await shop.charge(10);
  await advance(aDay + grace - 60);
  const control = await shop.charge(10);
  await shop.untilDetail(control, 'a scan', ({ chargeState }) => chargeState === 'registered');
  t.equal((await shop.read(payment)).status, 'pending', 'a Pix that was paid in time may be seen late');
  await advance(60);
  await shop.untilStatus(payment, 'not_approved');
  t.same(story(await shop.untilWebhooks(payment, 2)), ['created pending', 'pending not_approved']);
  t.match((await shop.detail(payment)).events[1], { actor: 'expiry', reason: 'expired' });
  t.equal((await shop.read(control)).status, 'pending');
});

t.test('paid in time, and seen after the charge was closed: approved', async (t) => {
  const payment = await shop.charge(10);
  await advance(aDay + grace);
  await shop.untilStatus(payment, 'not_approved');
  await system.bank('/bank/clock', { advanceSeconds: -600 });
  await shop.pay(payment);
  await system.bank('/bank/clock', { advanceSeconds: 600 });
  await shop.untilStatus(payment, 'approved');
  t.match((await shop.detail(payment)).events[2], { actor: 'psp', reason: 'paid' });
  t.same(story(await shop.untilWebhooks(payment, 3)), [
    'created pending',
    'pending not_approved',
    'not_approved approved',
  ]);
  t.same((await shop.detail(payment)).refunds, []);
});

t.test('a Pix that arrives after the expiry: review, and a refund after half an hour', async (t) => {
  const payment = await shop.charge(10);
  await advance(aDay + grace);
  await shop.untilStatus(payment, 'not_approved');
  const { endToEndId } = await shop.pay(payment, { late: true });
  await shop.untilStatus(payment, 'review');
  t.match((await shop.detail(payment)).events[2], { reason: 'late', actor: 'psp' });
  await advance(31 * 60);
  await shop.untilStatus(payment, 'not_approved');
  const { pix } = await shop.atBank(payment);
  t.match(pix, [{ endToEndId, devolucoes: [{ valor: '10.00', status: 'DEVOLVIDO' }] }]);
  t.equal(pix[0]?.devolucoes.length, 1);
  t.same(story(await shop.untilWebhooks(payment, 4)), [
    'created pending',
    'pending not_approved',
    'not_approved review',
    'review not_approved',
  ]);
});

t.test(
  'paid just before the expiry, the callback dropped: approved, since the PSP is asked once more',
  async (t) => {
    const payment = await shop.charge(10);
    await withFaults(system, untold, async () => {
      await shop.pay(payment);
      await advance(aDay + grace);
      await shop.untilStatus(payment, 'approved');
    });
    t.same(story(await shop.untilWebhooks(payment, 2)), ['created pending', 'pending approved']);
  },
);

t.test('a wrong amount just before the expiry, the callback dropped: review, not not_approved', async (t) => {
  const payment = await shop.charge(10);
  await withFaults(system, untold, async () => {
    await shop.pay(payment, { valor: 3 });
    await advance(aDay + grace);
    await shop.untilStatus(payment, 'review');
  });
  t.match((await shop.detail(payment)).events[1], { reason: 'amount_differs' });
});

t.test('while the PSP is down an expired payment is not closed', async (t) => {
  const payment = await shop.charge(10);
  await withFaults(system, { status: 503, only: ['getCob', 'listPix'], dropCallbacks: true }, async () => {
    await shop.pay(payment);
    await advance(aDay + grace);
    const control = await shop.charge(10);
    await shop.untilDetail(control, 'a scan', ({ chargeState }) => chargeState === 'registered');
    t.equal((await shop.read(payment)).status, 'pending');
  });
  await advance(16);
  await shop.untilStatus(payment, 'approved');
});

t.test('an unregistered charge expires like any other', async (t) => {
  const payment = await withFaults(system, { status: 500, only: ['putCob'] }, async () => {
    const created = await shop.charge(10);
    t.match(created, { qrCodeUrl: null, qrCopyPaste: null });
    await advance(aDay + grace);
    await shop.untilStatus(created, 'not_approved');
    return created;
  });
  t.equal((await shop.detail(payment)).chargeState, 'closed');
  t.equal((await shop.atBank(payment)).status, 404, 'it is not registered afterwards');
});
