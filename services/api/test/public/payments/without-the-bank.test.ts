import { countAsks } from '@payments/testing/bank';
import { patienceMs } from '@payments/testing/patience';
import { startSystem } from '@payments/testing/system';
import t from 'tap';
import { createdFields } from './expectations.ts';

/** A payment is created without the PSP, and reads show its code later (Contract: creation). */
const system = await startSystem({ env: { SCAN_INTERVAL_SECONDS: '1' } });
t.teardown(system.stop);
const store = await system.createStore();
const create = () => system.api('/api-public/payments', { token: store.token, body: { amount: 10 } });
const read = async (id: string) =>
  (await system.api(`/api-public/payments/${id}`, { token: store.token })).body;

async function becomesPayable(t: { match(found: unknown, wanted: object): void }, id: string) {
  let body = await read(id);
  const until = Date.now() + patienceMs;
  while (body.qrCopyPaste === null && Date.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    body = await read(id);
  }
  t.match(body, { qrCodeUrl: `${system.env.PUBLIC_URL}/qr/${id}.png`, qrCopyPaste: /^000201/ });
  await system.bank('/bank/pay', { pixCopiaECola: body.qrCopyPaste });
  await system.waitForStatus(store, id, 'approved');
}

const faults: [name: string, faults: Record<string, unknown>][] = [
  ['answers 503', { status: 503, only: ['putCob'] }],
  ['answers 500 after it has made the charge', { loseChargeAnswers: true }],
  ['refuses the charge', { status: 400, only: ['putCob'] }],
  ['refuses our credentials', { status: 401, only: ['token', 'putCob'] }],
  ['hangs up', { disconnect: true, only: ['putCob'] }],
];
for (const [name, given] of faults) {
  t.test(`the PSP ${name}`, async (t) => {
    await system.bank('/bank/faults', given);
    const { status, body } = await create();
    await system.bank('/bank/faults', {});
    t.equal(status, 200);
    t.strictSame(Object.keys(body).sort(), createdFields);
    t.match(body, { status: 'pending', qrCodeUrl: null, qrCopyPaste: null });
    await becomesPayable(t, body.id);
  });
}

t.test('the PSP hangs: the first creations ask it, of later ones only a probe', async (t) => {
  const alone = await startSystem({ dispatcher: false, pixTimeoutMs: 3_000 });
  t.teardown(alone.stop);
  const { token } = await alone.createStore();
  await alone.bank('/bank/faults', { hang: true, only: ['putCob'] });
  const asked = countAsks(t, alone.bankUrl);
  const make = async () => {
    const { status, body } = await alone.api('/api-public/payments', { token, body: { amount: 10 } });
    t.equal(status, 200);
    t.match(body, { qrCodeUrl: null, qrCopyPaste: null });
  };
  await Promise.all([make(), make(), make(), make()]);
  const first = asked();
  t.ok(first > 0);
  // A second later, one of them probes the bank, and only that one waits.
  await Promise.all([make(), make()]);
  t.ok(asked() - first <= 1, `${asked() - first} asked the bank`);
});
