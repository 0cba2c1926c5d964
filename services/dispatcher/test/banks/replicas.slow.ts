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
  // So that both replicas are likely to be asked before either has a code.
  for (const bank of ['first', 'second']) await two.faults(bank, { latencyMs: 500, only: ['putCob'] });
  const { token } = await two.createStore(null);
  const askBoth = async (key: string) => {
    const request = { token, headers: { 'idempotency-key': key }, body: { amount: 10 } };
    const path = '/api-public/payments';
    return Promise.all([call(path, request), cutOff.call(path, request)]);
  };

  const payments: { id: string; code: string | null }[] = [];
  while (two.everAtBoth().length === 0)
    for (const [one, other] of await Promise.all(keys.map((key) => askBoth(`${key}-${payments.length}`)))) {
      t.same([one.status, other.status], [200, 200]);
      t.same(other.body, one.body, 'both show one payment under the key');
      t.match(one.body.qrCopyPaste, /^000201/);
      payments.push({ id: one.body.id, code: one.body.qrCopyPaste });
    }
  t.comment(`${two.everAtBoth().length} of ${payments.length} charges were at both banks`);

  await eventually('each charge to be at one bank', async () => two.atBoth().length === 0 || undefined);
  for (const payment of payments) {
    const bank = two.bankOf(payment)!;
    t.equal(await bankInDatabase(two.db, payment.id), bank);
    const charge = banks.at(bank).simulator.bank.ledger.charges.get(txidOf(payment.id));
    t.equal(charge?.status, 'ATIVA', `the shown code of ${bank} can be paid`);
  }
});
