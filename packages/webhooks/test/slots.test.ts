import t from 'tap';
import { createSlots } from '../src/slots.ts';

t.test('so many at a time per key, the others in order', async (t) => {
  const slots = createSlots({ perKey: 2, maxWaitMs: 1_000 });
  const first = await slots.take('a');
  const second = await slots.take('a');
  const order: string[] = [];
  const third = slots.take('a').then(() => order.push('third'));
  const fourth = slots.take('a').then(() => order.push('fourth'));
  t.ok(await slots.take('b'), 'another key does not wait');
  t.same(order, []);
  second?.();
  await third;
  t.same(order, ['third']);
  first?.();
  await fourth;
  t.same(order, ['third', 'fourth']);
});

t.test('who has waited long enough leaves, and the turn passes to the next', async (t) => {
  const slots = createSlots({ perKey: 1, maxWaitMs: 20 });
  const release = await slots.take('a');
  t.equal(await slots.take('a'), null);
  const next = slots.take('a');
  release?.();
  t.ok(await next);
});
