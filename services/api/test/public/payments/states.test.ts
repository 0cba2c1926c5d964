import { randomUUID } from 'node:crypto';
import { startReceiver } from '@payments/testing/receiver';
import { startSystem } from '@payments/testing/system';
import t from 'tap';
import { isError } from './expectations.ts';

/** The states of a payment and the ways to reach them (Contract: transitions). */
let clock = new Date();
const system = await startSystem({ now: () => clock });
t.teardown(system.stop);
const receiver = await startReceiver();
t.teardown(receiver.close);
const store = await system.createStore();

const create = async (webhookUrl = receiver.url) =>
  (await system.api('/api-public/payments', { token: store.token, body: { amount: 50, webhookUrl } })).body;
const read = async (id: string) =>
  (await system.api(`/api-public/payments/${id}`, { token: store.token })).body;
const move = (id: string, status: string) =>
  system.admin(`/admin/payments/${id}/status`, { body: { status, reason: 'test' } });
const pay = (payment: { qrCopyPaste: string | null }, valor = '50.00') =>
  system.bank('/bank/pay', { pixCopiaECola: payment.qrCopyPaste, valor });
const eventOf = async (id: string, status: string) =>
  JSON.parse(
    (
      await receiver.waitFor(({ body }) => {
        const sent = JSON.parse(body);
        return sent.id === id && sent.status === status;
      })
    ).body,
  );

/** The path to each state. */
const paths: [status: string, how: string[]][] = [
  ['pending', []],
  ['approved', ['pays']],
  ['review', ['pays too little']],
  ['not_approved', ['not_approved']],
  ['paid', ['pays', 'paid']],
  ['withdrawal_processing', ['pays', 'paid', 'withdrawal_processing']],
  ['receipt_sent', ['pays', 'paid', 'withdrawal_processing', 'receipt_sent']],
  ['rejected', ['pays', 'paid', 'withdrawal_processing', 'rejected']],
];
for (const [status, how] of paths) {
  t.test(`${status}`, async (t) => {
    const payment = await create();
    for (const step of how) {
      if (step === 'pays') await pay(payment).then(() => system.waitForStatus(store, payment.id, 'approved'));
      else if (step === 'pays too little')
        await pay(payment, '49.99').then(() => system.waitForStatus(store, payment.id, 'review'));
      else t.equal((await move(payment.id, step)).body.status, step);
    }
    t.equal((await read(payment.id)).status, status, 'shown by reads');
    const { body } = await system.api(`/api-public/payments?status=${status}`, { token: store.token });
    t.ok(
      body.items.some((item: { id: string }) => item.id === payment.id),
      'and found by the filter',
    );
    const event = await eventOf(payment.id, status);
    t.equal(event.event, status === 'pending' ? 'payment.created' : 'payment.status_changed');
  });
}

t.test('transition in review for more than 30 minutes: refunded', async (t) => {
  const minutes = (n: number) => new Date(clock.getTime() + n * 60_000);
  const early = await create();
  await pay(early, '10.00');
  await system.waitForStatus(store, early.id, 'review');
  clock = minutes(1);
  const later = await create();
  await pay(later, '10.00');
  await system.waitForStatus(store, later.id, 'review');
  // The early review is now older than 30 minutes, the later one is not.
  clock = minutes(29.5);
  await system.waitForStatus(store, early.id, 'not_approved');
  t.match(await eventOf(early.id, 'not_approved'), { previousStatus: 'review' });
  const charge = await system.bank(`/bank/charges/${early.id.replaceAll('-', '')}`);
  const pix = charge.body.pix[0]!;
  t.match(pix.devolucoes, [{ valor: '10.00', status: 'DEVOLVIDO' }], 'all that was received, once');
  t.equal(pix.devolucoes.length, 1);
  t.equal((await read(later.id)).status, 'review', 'not before 30 minutes');
});

t.test('any change of status emits payment.status_changed', async (t) => {
  const payment = await create();
  await pay(payment);
  await system.waitForStatus(store, payment.id, 'approved');
  const chain = ['paid', 'withdrawal_processing', 'rejected', 'withdrawal_processing', 'receipt_sent'];
  for (const status of chain) t.equal((await move(payment.id, status)).status, 200);
  await eventOf(payment.id, 'receipt_sent');
  const sent = receiver.received.map(({ body }) => JSON.parse(body)).filter(({ id }) => id === payment.id);
  t.strictSame(
    sent.map(({ previousStatus = null, status }) => [previousStatus, status]),
    [
      [null, 'pending'],
      ['pending', 'approved'],
      ['approved', 'paid'],
      ['paid', 'withdrawal_processing'],
      ['withdrawal_processing', 'rejected'],
      ['rejected', 'withdrawal_processing'],
      ['withdrawal_processing', 'receipt_sent'],
    ],
  );
});

t.test('a transition that is not allowed changes nothing', async (t) => {
  const payment = await create();
  const refused = await move(payment.id, 'paid');
  isError(t, refused, 409, 'A transição de pending para paid não é permitida.');
  t.equal((await read(payment.id)).status, 'pending');
  isError(t, await move(randomUUID(), 'paid'), 404, 'Pagamento não encontrado.');
});
