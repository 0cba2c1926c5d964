import type { DueDelivery } from '@payments/database/deliveries/due';
import t from 'tap';
import { type Chosen, createSlots } from '../../src/deliveries/slots.ts';

const sizes = { concurrency: 16, perEndpoint: 6 };
let made = 0;

/** Due deliveries to one endpoint. Each endpoint is a store's of its own. */
function due(endpoint: string, count = 1, fields: Partial<DueDelivery> = {}): DueDelivery[] {
  return Array.from({ length: count }, () => {
    made += 1;
    return {
      id: `delivery ${made}`,
      storeId: `store of ${endpoint}`,
      endpoint,
      attempts: 0,
      failures: 0,
      circuit: 'closed',
      ...fields,
    };
  });
}

const failing = { failures: 2 };

/** Slots, and a function that fills them and returns the number of each endpoint. */
function scene(options = sizes) {
  const slots = createSlots(options);
  const begin = (deliveries: DueDelivery[]): Chosen[] => {
    const chosen = slots.choose(deliveries);
    for (const one of chosen) slots.begin(one);
    return chosen;
  };
  const end = (chosen: Chosen[], succeeded: boolean | null) => {
    for (const one of chosen) slots.end(one, succeeded);
  };
  const prove = (endpoint: string) => end(begin(due(endpoint)), true);
  return { slots, begin, end, prove };
}

t.test('one success gives an endpoint more slots', async (t) => {
  const { begin, end } = scene();
  const first = begin(due('one', 9));
  t.equal(first.length, 2, 'two while it is unproven');
  end(first, true);
  t.equal(begin(due('one', 9)).length, 6, 'then as many as the setting allows');
});

t.test('a failing endpoint must prove itself again', async (t) => {
  const { begin, end, prove } = scene();
  prove('one');
  end(begin(due('one')), false);
  t.equal(begin(due('one', 9)).length, 2);
  const another = scene();
  t.equal(another.begin(due('two', 9, failing)).length, 1, 'one at a time while it fails');
});

t.test('one failure may be chance, and an attempt without a verdict changes nothing', async (t) => {
  const { begin, end, prove } = scene();
  t.equal(begin(due('chance', 9, { failures: 1 })).length, 2);
  prove('one');
  end(begin(due('one')), null);
  t.equal(begin(due('one', 9)).length, 6);
});

t.test('an open circuit gets no slot, and a probe one', async (t) => {
  const { begin } = scene();
  t.same(begin(due('open', 3, { failures: 10, circuit: 'open' })), []);
  t.equal(begin(due('rested', 3, { failures: 10, circuit: 'to-probe' })).length, 1);
  t.same(begin(due('rested', 3, { failures: 10, circuit: 'to-probe' })), [], 'nor another beside it');
});

t.test('any number of failing endpoints hold a quarter of the slots', async (t) => {
  const { slots, begin } = scene();
  const dead = Array.from({ length: 20 }, (_, index) => due(`dead ${index}`, 2, failing)).flat();
  t.equal(begin(dead).length, 4);
  t.equal(begin([...dead, ...due('unknown', 2)]).length, 2, 'a first attempt finds a slot behind them');
  t.equal(slots.free(), 10);
});

t.test('any number of unproven endpoints leave half of the slots to proven ones', async (t) => {
  const { begin, prove } = scene();
  prove('well');
  const unknown = Array.from({ length: 20 }, (_, index) => due(`hangs ${index}`, 2)).flat();
  t.equal(begin(unknown).length, 8);
  t.equal(begin([...unknown, ...due('well', 9)]).length, 5, 'its store’s share');
});

t.test('a store gets more slots as others leave theirs', async (t) => {
  const { slots, begin, end, prove } = scene();
  for (const endpoint of ['a', 'b', 'c']) prove(endpoint);
  const first = begin([...due('a', 9), ...due('b', 9), ...due('c', 9)]);
  t.equal(first.length, 13);
  t.equal(slots.free(), 3);
  t.same(slots.fullStores('proven'), ['store of a', 'store of b', 'store of c']);
  t.same(begin(due('a')), []);
  end(
    first.filter(({ endpoint }) => endpoint !== 'a'),
    true,
  );
  t.equal(begin(due('a', 9)).length, 1, 'up to the limit of its endpoint');
  t.same(slots.fullStores('proven'), []);
});

t.test('the delivery due longest goes first', async (t) => {
  const { slots } = scene({ concurrency: 2, perEndpoint: 1 });
  const deliveries = [...due('a', 2), ...due('b'), ...due('c')];
  const [first, , third] = deliveries;
  const ids = () => slots.choose(deliveries).map(({ id }) => id);
  t.same(ids(), [first?.id], 'half of two slots is for unproven endpoints');
  slots.end(due('b')[0]!, true);
  t.same(ids(), [first?.id, third?.id]);
});

t.test('with a single slot, every delivery has its turn', async (t) => {
  const { begin, end } = scene({ concurrency: 1, perEndpoint: 1 });
  for (const fields of [{}, failing, { failures: 9, circuit: 'to-probe' as const }]) {
    const chosen = begin(due('one', 3, fields));
    t.equal(chosen.length, 1);
    end(chosen, false);
  }
});

t.test('with very many endpoints, the least recently proven are dropped', async (t) => {
  const { begin, end, prove } = scene({ concurrency: 8, perEndpoint: 5 });
  prove('first');
  prove('second');
  for (let index = 0; index < 9_999; index += 1) prove(`other ${index}`);
  const chosen = begin(due('first', 9));
  t.equal(chosen.length, 2);
  end(chosen, null);
  t.equal(begin(due('second', 9)).length, 5);
});
