import { eventually } from '@payments/testing/system';
import { startTcpProxy } from '@payments/testing/tcp-proxy';
import t from 'tap';
import { bankInDatabase, startTwoBanks, txidOf } from './several.ts';

const keys = Array.from({ length: 10 }, (_, index) => `key-${index}`);

t.test('replicas that disagree about a bank: one payment, one code', async (t) => {
  const two = await startTwoBanks(t);
  const { banks, startApi, call } = two.system;
  const proxy = await startTcpProxy(Number(new URL(banks.at('first').url).port));
  t.teardown(proxy.close);
  const file = banks.write({ first: `http://127.0.0.1:${proxy.port}` });
  const cutOff = await startApi({ BANKS_FILE: file });
  proxy.refuse(true);
  // Both replicas are asked before either has a code.
  for (const bank of ['first', 'second']) await two.faults(bank, { latencyMs: 500, only: ['putCob'] });
  const { token } = await two.createStore(null);

  const asked = keys.map(async (key) => {
    const request = { token, headers: { 'idempotency-key': key }, body: { amount: 10 } };
    const path = '/api-public/payments';
    return Promise.all([call(path, request), cutOff.call(path, request)]);
  });
  const answers = await Promise.all(asked);
  const payments = answers.map(([{ body }]) => ({ id: body.id as string, code: body.qrCopyPaste as string }));
  for (const [index, [one, other]] of answers.entries()) {
    t.same([one.status, other.status], [200, 200]);
    t.same(other.body, one.body, `both show one payment under ${keys[index]}`);
    t.match(one.body.qrCopyPaste, /^000201/);
  }
  t.comment(`${two.atBoth().length} of ${keys.length} charges were at both banks`);
  t.ok(two.atBoth().length > 0);

  await eventually('each charge to be at one bank', async () => two.atBoth().length === 0 || undefined);
  for (const payment of payments) {
    const bank = two.bankOf(payment)!;
    t.equal(await bankInDatabase(two.db, payment.id), bank);
    const charge = banks.at(bank).simulator.bank.ledger.charges.get(txidOf(payment.id));
    t.equal(charge?.status, 'ATIVA', `the shown code of ${bank} can be paid`);
  }
});
