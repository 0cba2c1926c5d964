import t from 'tap';
import {
  type Claimant,
  fairShare,
  fullStores,
  mayHoldMore,
  type Standing,
} from '../../src/deliveries/fair-share.ts';

const sizes = { concurrency: 16, perEndpoint: 6 };

const standings: Record<string, Standing> = { '': 'proven', '?': 'unproven', '!': 'failing' };

/** Attempts from `6×a1 b2?`: store a's endpoint a1 six times; `?` is an unproven endpoint, `!` a failing one. */
function attempts(text: string): Claimant[] {
  return text
    .split(' ')
    .filter(Boolean)
    .flatMap((part) => {
      const [, times = '1', endpoint = '', mark = ''] = /^(?:(\d+)×)?(\w+)([?!]?)$/.exec(part) ?? [];
      const one = { storeId: endpoint.charAt(0), endpoint, standing: standings[mark] as Standing };
      return Array<Claimant>(Number(times)).fill(one);
    });
}

const told = (chosen: readonly Claimant[]) => chosen.map(({ endpoint }) => endpoint).join(' ');

/** Different endpoints of one store, each once. */
const each = (count: number, name: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => name(index)).join(' ');

const cases: [what: string, inFlight: string, wanted: string, chosen: string][] = [
  ['nothing is due', '', '', ''],
  ['the delivery due longest comes first', '', 'b1 a1 c1', 'b1 a1 c1'],
  ['stores take turns', '', 'a1 a1 a1 b1 b1 c1', 'a1 b1 c1 a1 b1 a1'],
  ['the store that holds least comes first', '2×a1 b1', 'a1 b1 c1', 'c1 b1 a1'],
  ['a store’s endpoints take turns', '', 'a1 a1 a1 a2 a3', 'a1 a2 a3 a1 a1'],
  ['its endpoint that holds least comes first', '2×a1', 'a1 a1 a2 a2', 'a2 a2 a1 a1'],
  ['a store with many endpoints has no more turns', '', 'a1 a2 a3 b1 b1', 'a1 b1 a2 b1 a3'],
  ['a proven endpoint has a limit', '4×a1', '9×a1', 'a1 a1'],
  ['an unproven one has two slots', '', '9×a1?', 'a1 a1'],
  ['a failing one has one', '', '9×a1!', 'a1'],
  ['a failing one with an attempt in flight waits', 'a1?', 'a1!', ''],
  ['a store alone leaves a third', '6×a1', '6×a2', 'a2 a2 a2 a2'],
  ['however many URLs it has', '', each(20, (n) => `a${n}`), each(10, (n) => `a${n}`)],
  ['one store’s new URLs leave a third of a half', '', each(20, (n) => `a${n}?`), 'a0 a1 a2 a3 a4'],
  ['another store’s new URL is tried beside them', each(5, (n) => `a${n}?`), 'a5? b1? b1?', 'b1 b1'],
  ['and its own proven endpoint', each(5, (n) => `a${n}?`), '9×a9', 'a9 a9 a9 a9 a9'],
  ['all new URLs hold half', 'a0? b0? c0? d0? e0? f0? g0? h0?', 'i0? j1', 'j1'],
  ['a store that holds none gets a slot at once', '6×a1 4×a2', 'a3 b1', 'b1'],
  ['and more, while as many stay free', '6×a1 4×a2', '6×b1', 'b1 b1 b1 b1'],
  ['something stays free for the next', '6×a1 4×a2 4×b1', 'a1 b1 c1', 'c1'],
  ['the last slot is for a store that holds none', '6×a1 4×a2 4×b1 c1', 'a1 b1 c1 d1', 'd1'],
  ['no slot is free', '6×a1 6×b1 4×c1', 'd1', ''],
  ['one store’s failing ones leave a third of a quarter, at least', '', each(9, (n) => `a${n}!`), 'a0 a1'],
  ['another store’s failing one is tried beside them', 'a0! a1!', 'a2! b1!', 'b1'],
  ['all failing endpoints hold a quarter', 'a0! a1! b1! c1!', 'd1! e1! f1', 'f1'],
];

t.test('the rule of fairness', async (t) => {
  for (const [what, inFlight, wanted, chosen] of cases)
    t.equal(told(fairShare(attempts(wanted), attempts(inFlight), sizes)), chosen, what);
});

t.test(
  'whatever stores hold, a slot stays free for another, until there are more stores than slots',
  async (t) => {
    for (const concurrency of [1, 2, 3, 16, 512])
      for (let stores = 1; stores < Math.min(concurrency, 40); stores += 1) {
        const wanted = Array.from({ length: stores }, (_, store) => `store ${store}`).flatMap((storeId) =>
          Array<Claimant>(concurrency).fill({ storeId, endpoint: storeId, standing: 'proven' }),
        );
        const chosen = fairShare(wanted, [], { concurrency, perEndpoint: concurrency });
        t.ok(chosen.length < concurrency, `${stores} stores hold ${chosen.length} of ${concurrency}`);
        t.equal(new Set(chosen.map(({ storeId }) => storeId)).size, stores, 'each has some');
      }
  },
);

t.test('with a single slot, every store has its turn', async (t) => {
  t.equal(mayHoldMore(0, 1), true);
  t.equal(mayHoldMore(1, 1), false);
  t.equal(mayHoldMore(0, 0), false);
});

t.test(
  'a store is full for failing endpoints before it is for new ones, and for proven ones last',
  async (t) => {
    const full = (inFlight: string) =>
      (['failing', 'unproven', 'proven'] as const).map((standing) =>
        fullStores(standing, attempts(inFlight), sizes).join(),
      );
    t.same(full('a1! b1'), ['', '', '']);
    t.same(full('a1! a2! b1'), ['a', '', '']);
    t.same(full('a1! a2! a3? a4? a5? b1'), ['a', 'a', '']);
    t.same(full('6×a1 4×a2 b1'), ['a', 'a', 'a']);
  },
);
