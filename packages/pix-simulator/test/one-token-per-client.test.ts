import type { PixCall } from '@payments/pix/client';
import t, { type Test } from 'tap';
import { startBank, txidOf } from './bank-under-test.ts';

const charge = { amount: 1000, expiresInSeconds: 3600 };
const range = { from: new Date(0), to: new Date(1000), page: 0 };

/** Two processes of one client: one sells, the other one polls. */
async function startBoth(t: Test) {
  const clock = { now: 1_800_000_000_000 };
  const now = () => clock.now;
  const bank = await startBank(t, { now });
  await bank.faults({ oneTokenPerClient: true });
  const start = () => {
    const tokens: number[] = [];
    const note = ({ operation }: PixCall) => {
      if (operation === 'token') tokens.push(now());
    };
    return { tokens, client: bank.client({ now, onCall: note }) };
  };
  let sold = 0;
  const [api, dispatcher] = [start(), start()];
  return {
    clock,
    bank,
    api,
    dispatcher,
    sell: () => {
      sold += 1;
      return api.client.putCharge(txidOf(sold), charge);
    },
  };
}

/** The most of these times within a minute. */
const mostInAMinute = (times: readonly number[]) =>
  Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + 60_000).length));

t.test('a new token ends the older ones of its client alone', async (t) => {
  const { bank, api, dispatcher } = await startBoth(t);
  const other = bank.client({ clientId: 'another' });
  for (const client of [other, api.client, dispatcher.client, other, api.client])
    await client.getCharge(txidOf(9));
  t.same([api.tokens.length, dispatcher.tokens.length], [2, 1]);
});

for (const [how, isTogether] of [
  ['in turns', false],
  ['at once', true],
] as const)
  t.test(`a sale and a scan each second, ${how}: each sale has its code, and scans go on`, async (t) => {
    const { clock, api, dispatcher, sell } = await startBoth(t);
    let scans = 0;
    const scan = () =>
      dispatcher.client.listPix(range).then(
        () => {
          scans += 1;
        },
        (error: Error) => t.match(error, { reason: 'tokens-used-up' }),
      );
    for (let second = 0; second < 180; second += 1) {
      const sale = sell();
      if (!isTogether) await sale;
      const [{ copyAndPaste, status }] = await Promise.all([sale, scan()]);
      t.ok(copyAndPaste && status === 'ATIVA', `the sale of second ${second}`);
      clock.now += 1_000;
    }
    t.ok(scans >= 9, `${scans} scans`);
    t.ok(mostInAMinute(api.tokens) <= 5, `${mostInAMinute(api.tokens)} tokens to sell`);
    t.ok(mostInAMinute(dispatcher.tokens) <= 3, `${mostInAMinute(dispatcher.tokens)} tokens to scan`);
    t.same(
      [api.client.breakers.creations.state(), dispatcher.client.breakers.lists.state()],
      ['closed', 'closed'],
    );
  });

t.test(
  'a process that polls and reads takes the token back fewer times than the one that sells',
  async (t) => {
    const { clock, api, dispatcher, sell } = await startBoth(t);
    const mayWait = (error: Error) => t.match(error, { reason: 'tokens-used-up' });
    for (let second = 0; second < 120; second += 1) {
      await dispatcher.client.listPix(range).catch(mayWait);
      t.equal((await sell()).status, 'ATIVA');
      await dispatcher.client.getCharge(txidOf(1)).catch(mayWait);
      t.equal((await sell()).status, 'ATIVA');
      clock.now += 1_000;
    }
    t.ok(mostInAMinute(api.tokens) <= 5, `${mostInAMinute(api.tokens)} tokens to sell`);
    t.ok(mostInAMinute(dispatcher.tokens) <= 4, `${mostInAMinute(dispatcher.tokens)} tokens of the other`);
  },
);

t.test('a bank that forgets its tokens twice in a minute costs no sale', async (t) => {
  const { clock, bank, sell, dispatcher } = await startBoth(t);
  for (let second = 0; second < 60; second += 1) {
    if (second === 10 || second === 25) await bank.asAnyone('DELETE', '/bank/tokens');
    await dispatcher.client.listPix(range).catch(() => {});
    t.equal((await sell()).status, 'ATIVA', `the sale of second ${second}`);
    clock.now += 1_000;
  }
});
