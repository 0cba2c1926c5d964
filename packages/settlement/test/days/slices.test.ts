import t from 'tap';
import { slicesOf } from '../../src/days/reconcile.ts';

const day = 24 * 60 * 60_000;
const at = (ms: number) => new Date(ms);

t.test('a range is asked for in windows that the bank lists, without a gap', async (t) => {
  const slices = slicesOf({ from: at(0), to: at(91 * day) }, 4 * day);
  t.equal(slices.length, 23);
  t.ok(slices.every(({ from, to }) => to.getTime() - from.getTime() <= 4 * day));
  t.same(
    slices.slice(1).map(({ from }) => from),
    slices.slice(0, -1).map(({ to }) => to),
  );
  t.same([slices[0]?.from, slices.at(-1)?.to], [at(0), at(91 * day)]);
});

t.test('a short range is one window, an empty one none', async (t) => {
  t.equal(slicesOf({ from: at(0), to: at(4 * day) }, 4 * day).length, 1);
  t.same(slicesOf({ from: at(5), to: at(5) }, day), []);
});
