import t, { type Test } from 'tap';
import { type BankAccount, openBanks } from '../src/banks.ts';
import { profiles } from '../src/profiles/all.ts';
import { cob, type Reply, startPsp, TXID } from './psp.ts';

const account = (id: string, url: string, fields: Partial<BankAccount['options']> = {}): BankAccount => ({
  id,
  callbackUrl: null,
  options: {
    profile: profiles.bacen,
    url,
    clientId: id,
    clientSecret: 'secret',
    key: id,
    timeoutMs: 30_000,
    ...fields,
  },
});

function opened(t: Test, accounts: BankAccount[]) {
  const banks = openBanks(accounts);
  t.teardown(() => banks.close());
  let replaced = 0;
  banks.onReplaced(() => {
    replaced += 1;
  });
  return { banks, replaced: () => replaced };
}

const nowhere = 'http://127.0.0.1:9';

t.test('unchanged banks stay the same, changed ones are new', async (t) => {
  const { banks, replaced } = opened(t, [account('a', nowhere), account('b', nowhere)]);
  const [a, b] = banks.all();
  banks.replace([account('a', nowhere), account('b', nowhere)]);
  t.equal(replaced(), 0);
  t.equal(banks.all()[0], a);

  banks.replace([
    account('b', nowhere),
    account('a', nowhere, { clientSecret: 'new' }),
    account('c', nowhere),
  ]);
  t.equal(replaced(), 1);
  t.same(
    banks.all().map(({ id }) => id),
    ['b', 'a', 'c'],
    'in the new order',
  );
  t.equal(banks.find('b'), b);
  t.not(banks.find('a'), a);

  banks.replace([account('b', nowhere)]);
  t.equal(banks.find('a'), undefined);
});

t.test('a file of which one bank can’t be opened changes nothing', async (t) => {
  const { banks, replaced } = opened(t, [account('a', nowhere)]);
  const [a] = banks.all();
  const broken = account('b', nowhere, { tls: { caFile: '/no/such/file' } });
  t.throws(() => banks.replace([account('a', nowhere, { clientId: 'new' }), broken]), { code: 'ENOENT' });
  t.equal(banks.all()[0], a);
  t.equal(replaced(), 0);
});

t.test(
  'an operation in flight ends at the bank where it began, also if it has a request yet to send',
  async (t) => {
    const asked = Promise.withResolvers<Reply>();
    const psp = await startPsp(
      t,
      (_request, reply) => reply.json(200, cob),
      (_request, reply) => asked.resolve(reply),
    );
    const { banks } = opened(t, [account('a', psp.url)]);
    const charge = banks.find('a')!.client.getCharge(TXID);
    const token = await asked.promise;
    banks.replace([account('a', nowhere)]);
    token.json(200, { access_token: 'token-1', token_type: 'Bearer', expires_in: 60 });
    t.match(await charge, { status: 'ATIVA' });
  },
);

t.test('a replaced bank closes when the longest operation is over', async (t) => {
  const psp = await startPsp(t, (_request, reply) => reply.json(200, cob));
  const { banks } = opened(t, [account('a', psp.url, { timeoutMs: 3_000 })]);
  const { client } = banks.find('a')!;
  await client.getCharge(TXID);
  banks.replace([account('a', nowhere)]);
  await t.rejects(
    (async () => {
      for (;;) await client.getCharge(TXID);
    })(),
    { code: 'PIX_UNAVAILABLE' },
  );
});
