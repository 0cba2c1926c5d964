import t from 'tap';
import type { Window } from '../../src/faults/fault.ts';
import { floodFaults } from '../../src/faults/floods.ts';
import { isolation } from '../../src/promises/isolation.ts';
import { caseOf } from '../hand-made.ts';

const second = 1_000;

/** Judges a payment whose first webhook came this late, amid faults that began with it and lasted five seconds. */
function found(lateMs: number, ...faults: string[]): string[] {
  const run = caseOf({ status: 'pending', amount: 10 });
  const [visit] = run.observations.visits;
  const from = visit!.at;
  visit!.at += lateMs;
  const during = { target: 'one', from, to: from + 5 * second };
  const kindOf = (fault: string): Window['kind'] => (fault.endsWith('-at-once') ? 'callers' : 'receivers');
  const windows: Window[] = faults.map((fault) => ({ fault, kind: kindOf(fault), ...during }));
  return isolation({ ...run, windows }).map(({ says }) => says);
}

t.test('a healthy receiver hears within ten seconds, faults aside', async (t) => {
  t.same(found(9 * second), []);
  t.same(found(11 * second), ['event 1 came 11.0 s late, in calm']);
  t.same(found(11 * second, 'postgres-killed'), []);
});

t.test('while one store’s receivers hang, another store waits for none of its time-outs', async (t) => {
  for (const fault of ['one-store-hangs-proven', 'one-store-hangs-everywhere']) {
    t.same(found(second, fault), []);
    t.same(found(2 * second, fault), ['event 1 came 2.0 s late, while one store’s receivers hung']);
    t.same(found(2 * second, fault, 'postgres-killed'), [], 'another fault is an excuse');
  }
});

t.test('a flood of callers is no excuse', async (t) => {
  for (const { name } of floodFaults) t.same(found(11 * second, name), ['event 1 came 11.0 s late, in calm']);
});
