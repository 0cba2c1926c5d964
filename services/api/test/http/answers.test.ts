import { createAddressPolicy } from '@payments/webhooks/addresses';
import { Type } from '@sinclair/typebox';
import t from 'tap';
import { compileValidator } from '../../src/http/answers.ts';
import { readPaymentRequest } from '../../src/public/payments/new-payment.ts';

const schema = Type.Object({
  name: Type.String(),
  events: Type.Optional(
    Type.Union([Type.Array(Type.Union([Type.Literal('a'), Type.Literal('b')])), Type.Null()]),
  ),
});
const validate = compileValidator({ schema });
const messageOf = (body: unknown) => {
  const verdict = validate(body);
  return 'error' in verdict ? verdict.error.message : 'none';
};

t.test('the first violation in words', async (t) => {
  t.equal(messageOf({ name: 'x', events: ['b'] }), 'none');
  t.equal(messageOf({}), 'name must be a string');
  t.equal(messageOf([]), 'body must be an object');
  t.equal(messageOf({ name: 'x', events: 1 }), 'events must be an array');
  t.equal(messageOf({ name: 'x', events: ['a', 'c'] }), 'events.1 must be one of the following values: a, b');
});

t.test('no violation is looked for after the first', async (t) => {
  let read = 0;
  const count = (list: unknown[], index: string | symbol) => {
    read += 1;
    return Reflect.get(list, index);
  };
  const events = new Proxy(Array(10_000).fill('c'), { get: count });
  t.equal(messageOf({ name: 'x', events }), 'events.0 must be one of the following values: a, b');
  t.ok(read < 100, String(read));
});

t.test('the characters of a text that is far too long are not counted', async (t) => {
  const lengths: number[] = [];
  const iterate = String.prototype[Symbol.iterator];
  t.intercept(String.prototype, Symbol.iterator, {
    value(this: string) {
      lengths.push(this.length);
      return iterate.call(this);
    },
  });
  const text = '😀'.repeat(250_000);
  const { error } = compileValidator({ schema: Type.String({ maxLength: 200 }) })(text) as { error: Error };
  t.match(error.message, 'must be shorter than or equal to 200 characters');
  const webhooks = { policy: createAddressPolicy([]), allowPrivate: false, allowHttp: false };
  const create = () =>
    readPaymentRequest({ amount: 10, observation: text }, { maxAmount: 300_000, webhooks });
  t.throws(create, { message: 'observation must be shorter than or equal to 2048 characters' });
  t.notOk(lengths.includes(text.length));
});
