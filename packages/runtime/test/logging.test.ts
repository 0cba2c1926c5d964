import t from 'tap';
import { redact } from '../src/logging.ts';

t.test('secrets and personal data are cut out anywhere in a line', async (t) => {
  const cases: [fields: object, shown: object][] = [
    [
      { token: 'pp_x', status: 200 },
      { token: '[redacted]', status: 200 },
    ],
    [
      { request: { headers: { authorization: 'Bearer x' } } },
      { request: { headers: { authorization: '[redacted]' } } },
    ],
    [
      { payments: [{ id: 1, email: 'a@b.c', observation: null }] },
      { payments: [{ id: 1, email: '[redacted]', observation: '[redacted]' }] },
    ],
    [
      { a: { b: { c: { d: { webhookSecret: 'whsec_x' } } } } },
      { a: { b: { c: { d: { webhookSecret: '[redacted]' } } } } },
    ],
    [
      { observation: 'two "blue", {shirts}', token: ['one', 'two'], id: 7 },
      { observation: '[redacted]', token: '[redacted]', id: 7 },
    ],
    [{ msg: 'no order of josé@exemplo.br, maria@são.com.br' }, { msg: 'no order of [redacted], [redacted]' }],
    [
      { password: 12345, last: true },
      { password: '[redacted]', last: true },
    ],
  ];
  for (const [fields, shown] of cases) t.same(JSON.parse(redact(JSON.stringify(fields))), shown);
});

t.test('a line without secrets stays unchanged', async (t) => {
  const plain = JSON.stringify({
    paymentId: 'x',
    tokenId: 'y',
    nested: { list: [1, 2] },
    msg: 'a token: none',
  });
  t.equal(redact(plain), plain);
});
