import fc from 'fast-check';
import t from 'tap';
import { readCallback } from '../src/callback.ts';

const first = {
  endToEndId: 'E12345678202009091221kkkkkkkkkkk',
  txid: 'c3e0e7a4e7f1469a9f782d3d4999343c',
  chave: '7d9f0335-8dcc-4054-9bf9-0dbd61d36906',
  valor: '110.00',
  horario: '2020-09-09T20:15:00.358Z',
};
const second = {
  endToEndId: 'E87654321202009091221dfghi123456',
  txid: '971122d8f37211eaadc10242ac120002',
  valor: '110.00',
  horario: '2020-09-09T20:15:00.358Z',
};

t.test('several Pix in one call', async (t) => {
  t.match(readCallback({ pix: [first, second] }).pix, [
    { endToEndId: first.endToEndId, txid: first.txid, key: first.chave, amount: 11_000, refunds: [] },
    { endToEndId: second.endToEndId, key: null },
  ]);
});

t.test('a list without its object, a list of objects, and a Pix alone', async (t) => {
  const ids = (body: unknown) => readCallback(body).pix.map(({ endToEndId }) => endToEndId);
  const both = [first.endToEndId, second.endToEndId];
  t.same(ids([first, second]), both);
  t.same(ids([{ pix: [first] }, { pix: second }]), both);
  t.same(ids(first), [first.endToEndId]);
  t.match(readCallback([null, 7, [first], { evento: 'teste' }]), { pix: [], unreadable: [] });
  const { txid: _, ...nameless } = {
    ...first,
    devolucoes: [{ id: 'D1', valor: '1.00', status: 'DEVOLVIDO' }],
  };
  for (const body of [nameless, [nameless], { pix: [nameless] }])
    t.match(readCallback(body).pix, [{ endToEndId: first.endToEndId, txid: null, refunds: [{ id: 'D1' }] }]);
});

t.test('a whole charge tells its Pix and their returns', async (t) => {
  const { txid, ...inner } = { ...first, devolucoes: [{ id: 'D1', valor: '1.00', status: 'DEVOLVIDO' }] };
  const charge = { txid, status: 'CONCLUIDA', valor: { original: '110.00' } };
  const told = [{ endToEndId: first.endToEndId, txid, refunds: [{ id: 'D1' }] }];
  for (const pix of [[inner], inner, [{ ...inner, txid: ' ' }]])
    for (const body of [{ ...charge, pix }, [{ ...charge, pix }]])
      t.match(readCallback(body), { pix: told, unreadable: [] });
  t.match(readCallback({ ...charge, pix: [second] }).pix, [{ txid: second.txid }], 'its own txid counts');
  t.same(readCallback({ ...charge, pix: [] }), { pix: [], unreadable: [] });
});

t.test('ids with blanks around them, and our txid in capitals', async (t) => {
  const ours = '01a21cc5aebd7000b82cee733c0b06c3';
  const odd = { ...first, endToEndId: `${first.endToEndId} `, txid: ` ${ours.toUpperCase()}\n` };
  t.match(readCallback({ pix: [odd] }).pix, [{ endToEndId: first.endToEndId, txid: ours }]);
  t.match(readCallback({ pix: [{ txid: odd.txid }, { txid: ' ' }] }).unreadable, [
    { txid: ours },
    { txid: null },
  ]);
  const others = 'C3E0E7A4E7F1469A9F782D3D4999343C';
  t.match(readCallback({ pix: [{ ...first, txid: others }] }).pix, [{ txid: others }], 'not ours to change');
});

t.test("a refund that settled, in the document's object form too", async (t) => {
  const refund = {
    id: '123ABC',
    rtrId: 'D12345678202009091221abcdf098765',
    valor: '10.00',
    status: 'DEVOLVIDO',
  };
  for (const devolucoes of [[refund], refund]) {
    t.match(readCallback({ pix: [{ ...first, devolucoes }] }).pix[0]?.refunds, [
      { id: '123ABC', amount: 1000 },
    ]);
  }
});

t.test('bad entries keep the names of their charge, the good ones beside them stay', async (t) => {
  const bad = [null, 7, 'x', {}, { ...first, valor: '-1.00' }, { ...first, endToEndId: 9 }];
  t.strictSame(
    readCallback({ pix: [...bad, second] }).pix.map((pix) => pix.endToEndId),
    [second.endToEndId],
  );
  t.match(readCallback({ pix: [{ ...first, valor: 'abc' }, { txid: first.txid }] }).unreadable, [
    { endToEndId: first.endToEndId, txid: first.txid, key: first.chave },
    { endToEndId: null, txid: first.txid, key: null },
  ]);
  const withBadRefund = readCallback({ pix: [{ ...first, devolucoes: [{ id: 1 }] }] });
  t.match(
    withBadRefund.pix,
    [{ endToEndId: first.endToEndId, refunds: [], oddRefunds: 1 }],
    'a bad refund does not hide its Pix',
  );
});

t.test('whatever comes, it gives lists', async () => {
  const almost = fc.tuple(fc.constantFrom(...Object.keys(first), 'devolucoes'), fc.anything());
  const entry = fc.oneof(
    fc.anything(),
    almost.map(([field, value]) => ({ ...first, [field]: value })),
  );
  fc.assert(fc.property(fc.anything(), (body) => Array.isArray(readCallback(body).pix)));
  fc.assert(fc.property(fc.array(entry), (pix) => Array.isArray(readCallback({ pix }).pix)));
});
