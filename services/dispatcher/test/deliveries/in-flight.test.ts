import type { ClaimedDelivery } from '@payments/database/deliveries/claimed-delivery';
import t from 'tap';
import { inFlightDeliveries } from '../../src/deliveries/in-flight.ts';

const delivery = (endpoint: string, kind?: 'failing' | 'probe') =>
  ({ endpoint, failures: kind === 'failing' ? 2 : 0, probe: kind === 'probe' }) as ClaimedDelivery;

/** Attempts that a test ends as it likes. */
function attempts(options = { concurrency: 16, perEndpoint: 6 }) {
  const inFlight = inFlightDeliveries(options);
  const start = (endpoint: string, kind?: 'failing' | 'probe') =>
    inFlight.begin(delivery(endpoint, kind)).free;
  return { inFlight, start };
}

t.test('an endpoint gets more slots with every success, and a single one after a failure', (t) => {
  const { inFlight, start } = attempts();
  const free = () => inFlight.slots().free.get('one');
  t.equal(free(), undefined, 'unknown');
  t.equal(inFlight.slots().perEndpoint, 4);
  const end = start('one');
  t.equal(free(), 3);
  const [other, another] = [start('one'), start('one')];
  t.equal(free(), 1);
  end(true);
  t.equal(free(), 3);
  for (let n = 0; n < 9; n += 1) start('one')(true);
  t.equal(free(), 4, 'no more than the setting');
  other(false);
  t.equal(free(), 0);
  another(false);
  t.equal(free(), 1);
  t.end();
});

t.test('an idle endpoint that may have as much as an unknown one is not named', (t) => {
  const { inFlight, start } = attempts();
  start('one')(true);
  t.same([...inFlight.slots().free], []);
  start('one');
  t.same([...inFlight.slots().free], [['one', 4]]);
  t.end();
});

t.test('an endpoint that fails with many under way gets no further slot', (t) => {
  const { inFlight, start } = attempts();
  const [first] = Array.from({ length: 4 }, () => start('one'));
  first?.(false);
  t.equal(inFlight.slots().free.get('one'), 0);
  t.end();
});

t.test('endpoints that hang, however many, leave some slots to those that answer well', (t) => {
  const { inFlight, start } = attempts();
  start('well')(true);
  t.equal(inFlight.slotsForFirst().limit, 14);
  for (let n = 0; n < 14; n += 1) start(`hangs ${n}`);
  t.equal(inFlight.slots().limit, 0);
  const kept = inFlight.slotsKept();
  t.equal(kept.limit, 2);
  t.equal(kept.perEndpoint, 0, 'nothing for those that are not known');
  t.same(
    [...kept.free].filter(([, slots]) => slots > 0),
    [['well', 5]],
  );
  for (let n = 0; n < 2; n += 1) start('well');
  t.equal(inFlight.slotsKept().limit, 0);
  t.end();
});

t.test('endpoints that fail, however many, leave slots for first attempts', (t) => {
  const { inFlight, start } = attempts();
  t.equal(inFlight.slots().limit, 8);
  for (let n = 0; n < 8; n += 1) start(`hangs ${n}`, 'failing');
  t.equal(inFlight.slots().limit, 0);
  const first = inFlight.slotsForFirst();
  t.match(first, { limit: 6, failing: false, perEndpoint: 1 }, 'one each, to show what it does');
  start('new');
  t.equal(inFlight.slotsForFirst().free.get('new'), 0);
  start('well')(true);
  start('well');
  t.equal(inFlight.slotsForFirst().free.get('well'), 4, 'one that answers well keeps its slots');
  t.end();
});

t.test('one that stops answering well goes to the others', (t) => {
  const { inFlight, start } = attempts();
  start('one')(true);
  start('one')(false);
  t.notOk(inFlight.slotsKept().free.has('one'));
  start('one');
  t.equal(inFlight.slotsForFirst().limit, 13);
  t.end();
});

t.test('probes have a few slots among them', (t) => {
  const { inFlight, start } = attempts();
  t.equal(inFlight.probes(), 2);
  start('probed', 'probe');
  const end = start('probed too', 'probe');
  t.equal(inFlight.probes(), 0);
  end(false);
  t.equal(inFlight.probes(), 1);
  t.end();
});

t.test('with a single slot in all, everything still has its turn', (t) => {
  const { inFlight, start } = attempts({ concurrency: 1, perEndpoint: 1 });
  t.equal(inFlight.slots().limit, 1);
  t.equal(inFlight.probes(), 1);
  start('one');
  t.same([inFlight.slots().limit, inFlight.slotsKept().limit, inFlight.probes()], [0, 0, 0]);
  t.end();
});

t.test('of very many endpoints, those that were not used for longest are forgotten', (t) => {
  const { inFlight, start } = attempts({ concurrency: 100, perEndpoint: 10 });
  start('under way');
  start('well')(true);
  for (let n = 0; n < 20_000; n += 1) {
    start(`path ${n}`)(false);
    if (n % 5_000 === 0) start('well')(true);
  }
  const { free } = inFlight.slots();
  t.ok(free.size <= 10_000);
  t.ok(free.has('under way'));
  t.ok(inFlight.slotsKept().free.has('well'));
  t.end();
});

t.test('a slot is given back once, and tells whether its endpoint had no other', (t) => {
  const { inFlight, start } = attempts();
  const [one, two, three, four] = Array.from({ length: 4 }, () => start('one'));
  t.equal(one?.(true), true);
  t.equal(one?.(false), false, 'a second time means nothing');
  t.equal(inFlight.size(), 3);
  t.same([two?.(true), three?.(true)], [false, false]);
  t.equal(four?.(false), false);
  t.equal(start('one')(true), true, 'after a failure there is one alone');
  t.end();
});

t.test('while most slots are with receivers that are not known, each has one', (t) => {
  const { inFlight, start } = attempts();
  for (let n = 0; n < 7; n += 1) start(`new ${n}`);
  t.equal(inFlight.isTight(), false);
  const end = start('last');
  t.equal(inFlight.isTight(), true);
  t.equal(end(true), true);
  t.equal(inFlight.isTight(), false);
  t.end();
});
