import t from 'tap';
import {
  amountOfDeed,
  type BankOnOffer,
  banksOf,
  matching,
  routeCharge,
  type TestDeed,
} from '../src/route-charge.ts';

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
    const routes = routeCharge({ test: false, banks: wanted }, banks).map(({ id, isProbe }) =>
      isProbe ? `${id}?` : id,
    );
    t.same(routes, expected);
  });
}

const kinds: [
  title: string,
  store: { test: boolean; banks: string[] | null },
  banks: BankOnOffer[],
  ids: string[],
][] = [
  ['a test store has the test bank alone', { test: true, banks: null }, [well('a'), well('test')], ['test']],
  ['also where it names others', { test: true, banks: ['a'] }, [well('a'), well('test')], ['test']],
  ['and waits where there is none', { test: true, banks: null }, [well('a'), well('b')], []],
  ['and where it fails', { test: true, banks: null }, [well('a'), failing('test')], []],
  ['and where it is paused', { test: true, banks: null }, [well('a'), paused('test')], []],
  ['no other store has the test bank', { test: false, banks: null }, [well('test'), well('a')], ['a']],
  ['also where it names it', { test: false, banks: ['test', 'a'] }, [well('test'), well('a')], ['a']],
  ['nor where all others fail', { test: false, banks: null }, [failing('a'), well('test')], []],
  ['nor where there is no other', { test: false, banks: null }, [well('test')], []],
];

for (const [title, store, banks, ids] of kinds) {
  t.test(title, async (t) => {
    t.same(
      routeCharge(store, banks).map(({ id }) => id),
      ids,
    );
    const possible = banksOf(store, banks);
    for (const bank of possible) t.same(matching(store, bank), { terms: store, bank });
    for (const bank of banks.filter((one) => !possible.includes(one)))
      if (bank.id === 'test' || store.test) {
        const message = `bank ${bank.id} takes no ${store.test ? 'test' : 'real'} charge`;
        t.throws(() => matching(store, bank), { message });
      }
  });
}

const deeds: [deed: TestDeed, given: number | undefined, amount: number | undefined][] = [
  ['pay', undefined, 1_990],
  ['pay_late', undefined, 1_990],
  ['pay_twice', undefined, 1_990],
  ['pay_other_amount', undefined, 2_090],
  ['take_back', undefined, undefined],
  ['pay', 5, 5],
  ['pay_other_amount', 5, 5],
  ['take_back', 5, 5],
];
for (const [deed, given, amount] of deeds) {
  t.test(`${deed} of R$ 19,90, with ${given ?? 'no amount'} given`, async (t) =>
    t.equal(amountOfDeed(deed, 1_990, given), amount),
  );
}
