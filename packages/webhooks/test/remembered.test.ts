import t from 'tap';
import { remembered } from '../src/remembered.ts';

t.test('a result is cached until a thousand others follow', async (t) => {
  const made: string[] = [];
  const make = remembered((text: string) => {
    made.push(text);
    return { text };
  });
  t.equal(make('first'), make('first'));
  for (let n = 0; n < 1_000; n += 1) make(String(n));
  t.equal(made.length, 1_001);
  t.same(make('first'), { text: 'first' });
  t.equal(made.length, 1_002);
});

t.test('a result stays cached while others follow', async (t) => {
  const made: string[] = [];
  const make = remembered((text: string) => {
    made.push(text);
    return text;
  });
  for (const text of ['one', 'two', 'one', 'two']) make(text);
  t.same(made, ['one', 'two']);
});

t.test('every text counts', async (t) => {
  const make = remembered((text: string, of: string) => `${text} of ${of}`);
  t.equal(make('secret', 'one'), 'secret of one');
  t.equal(make('secret', 'another'), 'secret of another');
});

t.test('an error is not cached', async (t) => {
  let calls = 0;
  const make = remembered((_text: string) => {
    calls += 1;
    if (calls === 1) throw new TypeError('not now');
    return calls;
  });
  t.throws(() => make('one'), { message: 'not now' });
  t.equal(make('one'), 2);
});
