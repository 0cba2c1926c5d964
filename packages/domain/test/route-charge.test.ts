import t from 'tap';
import { type BankOnOffer, routeCharge } from '../src/route-charge.ts';

const well = (id: string): BankOnOffer => ({ id, isPaused: false, health: 'well' });
const paused = (id: string): BankOnOffer => ({ ...well(id), isPaused: true });
const failing = (id: string): BankOnOffer => ({ ...well(id), health: 'failing' });
const probed = (id: string): BankOnOffer => ({ ...well(id), health: 'probe' });

const cases: [title: string, wanted: string[] | null, banks: BankOnOffer[], routes: string[]][] = [
  ['all banks, in the order of preference', null, [well('a'), well('b')], ['a', 'b']],
  ["the store's own order", ['b', 'a'], [well('a'), well('b')], ['b', 'a']],
  ["no bank outside the store's list", ['b'], [well('a'), well('b')], ['b']],
  ['no other bank when the only one fails', ['a'], [failing('a'), well('b')], []],
  ['a bank that is not configured any more is left out', ['gone', 'b'], [well('a'), well('b')], ['b']],
  ['a paused bank gets no charge', null, [paused('a'), well('b')], ['b']],
  ['a paused bank is not probed', null, [{ ...probed('a'), isPaused: true }, well('b')], ['b']],
  ['a failing bank costs no waiting', null, [failing('a'), well('b')], ['b']],
  ['one creation finds out whether a bank is back', null, [probed('a'), well('b')], ['a?', 'b']],
  ['a probe keeps its place', null, [well('a'), probed('b')], ['a', 'b?']],
  ['nobody is asked when all fail', null, [failing('a'), failing('b')], []],
  ['one bank, alone', null, [well('a')], ['a']],
  ['no bank at all', [], [well('a')], []],
];

for (const [title, wanted, banks, expected] of cases) {
  t.test(title, async (t) => {
    const routes = routeCharge(wanted, banks).map(({ id, isProbe }) => (isProbe ? `${id}?` : id));
    t.same(routes, expected);
  });
}
