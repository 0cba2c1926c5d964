import t from 'tap';
import { withoutSecrets } from '../src/secret-fields.ts';

t.test('secrets and personal data are censored wherever they stand', async (t) => {
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
  ];
  for (const [fields, shown] of cases) t.same(withoutSecrets(fields), shown);
});

t.test('what holds no secret is passed on as it is, and what does is not changed itself', async (t) => {
  const plain = { paymentId: 'x', err: new Error('lost'), at: new Date(), nested: { list: [1, 2] } };
  t.equal(withoutSecrets(plain), plain);
  const secret = { nested: { password: 'x' } };
  withoutSecrets(secret);
  t.equal(secret.nested.password, 'x');
});

t.test('a circle ends', async (t) => {
  const circle: { self?: object; token: string } = { token: 'x' };
  circle.self = circle;
  t.notMatch(JSON.stringify(withoutSecrets(circle)), '"x"');
});
