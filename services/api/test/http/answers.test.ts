import { Type } from '@sinclair/typebox';
import t from 'tap';
import { compileValidator } from '../../src/http/answers.ts';

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
