import { createPixClient, type PixClientOptions } from '@payments/pix/client';
import { testBankProfile } from '@payments/pix/profiles/test-bank';
import t, { type Test } from 'tap';
import { KEY, startBank, TXID } from './bank-under-test.ts';

const charge = { amount: 1_000, expiresInSeconds: 3_600 };
const own = { clientId: 'test-client', clientSecret: 'test-secret', key: KEY };

async function open(t: Test, url: string, more: Partial<PixClientOptions> = {}) {
  const client = createPixClient({ ...own, url, profile: testBankProfile, ...more });
  t.teardown(() => client.close());
  return client;
}

t.test('payers pay at the bank of test stores by its other side, and money goes back there', async (t) => {
  const { url } = await startBank(t, { ...own, isTestBank: true });
  const client = await open(t, url);
  const { copyAndPaste } = await client.putCharge(TXID, charge);
  const side = client.bankSide!;
  t.same(await side.pixOf(TXID), []);
  await side.pay(copyAndPaste, {});
  await side.pay(copyAndPaste, { amount: 700, late: true });
  const [first, late] = await side.pixOf(TXID);
  t.match([first, late], [{ left: 1_000 }, { left: 700 }]);
  await side.takeBack(first!.endToEndId, 400);
  await side.takeBack(late!.endToEndId);
  t.match(await side.pixOf(TXID), [{ left: 600 }, { left: 0 }]);
  await t.rejects(side.takeBack(late!.endToEndId), { code: 'PIX_REFUSED' });
  const { pix } = (await client.getCharge(TXID))!;
  t.match(
    pix.map(({ amount }) => amount),
    [1_000, 700],
  );
});

t.test('no entry of another bank gets a token at the bank of test stores', async (t) => {
  const { url } = await startBank(t, { ...own, isTestBank: true });
  const other = createPixClient({ ...own, url });
  t.teardown(() => other.close());
  await t.rejects(other.putCharge(TXID, charge), { message: /^token: / });
  t.equal(other.bankSide, null);
});

t.test('nobody pays or misdirects at the bank of test stores without its credentials', async (t) => {
  const bank = await startBank(t, { ...own, isTestBank: true });
  for (const path of ['/', '/bank/violations', '/bank/charges', `/bank/charges/${TXID}`])
    t.equal((await bank.asAnyone('GET', path)).status, 401, path);
  t.equal((await bank.asAnyone('POST', '/bank/faults', { hang: true })).status, 401);
  t.equal((await bank.asAnyone('POST', '/bank/clock', { advanceSeconds: 1 })).status, 401);
  t.equal((await bank.asAnyone('GET', '/health/live')).status, 200);
  await t.rejects((await open(t, bank.url, { clientSecret: 'wrong' })).putCharge(TXID, charge), {
    message: /^token: /,
  });
});

t.test(
  'every other simulated bank may be the bank of test stores, and keeps its other side open',
  async (t) => {
    const bank = await startBank(t);
    const { copyAndPaste } = await (await open(t, bank.url)).putCharge(TXID, charge);
    t.equal((await bank.pay(copyAndPaste)).status, 201);
  },
);
