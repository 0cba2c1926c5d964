import { firstIdOf } from '@payments/domain/identifiers';
import t from 'tap';
import { farAway, listPlaces, nearestStart } from '../src/payments/list-places.ts';

const hour = 3_600_000;
const place = (below: number, at = new Date(0)) => ({ id: firstIdOf(at), below });

t.test('a page is read from what is nearest', async (t) => {
  const [low, high] = [place(300, new Date(1)), place(700, new Date(2))];
  const cases = [
    { span: [990, 1_000], known: [], start: { direction: 'desc', skip: 0 } },
    { span: [0, 10], known: [], start: { direction: 'asc', skip: 0 } },
    { span: [400, 410], known: [], start: { direction: 'asc', skip: 400 } },
    { span: [600, 610], known: [], start: { direction: 'desc', skip: 390 } },
    { span: [495, 505], known: [], start: { direction: 'desc', skip: 495 } },
    { span: [400, 410], known: [low, high], start: { direction: 'asc', id: low.id, skip: 100 } },
    { span: [600, 610], known: [low, high], start: { direction: 'desc', id: high.id, skip: 90 } },
    { span: [300, 310], known: [low, high], start: { direction: 'asc', id: low.id, skip: 0 } },
    { span: [690, 700], known: [low, high], start: { direction: 'desc', id: high.id, skip: 0 } },
    { span: [295, 305], known: [low], start: { direction: 'asc', skip: 295 } },
    { span: [950, 960], known: [low, high], start: { direction: 'desc', skip: 40 } },
    { span: [20, 30], known: [low, high], start: { direction: 'asc', skip: 20 } },
  ];
  for (const { span, known, start } of cases) {
    const [from = 0, to = 0] = span;
    t.strictSame(
      nearestStart({ from, to }, 1_000, known),
      start,
      `rows ${from} to ${to} of 1000, ${known.length} known`,
    );
  }
});

t.test('a place is kept once nothing can come below it, for an hour', async (t) => {
  let now = new Date(100 * hour);
  const places = listPlaces(() => now);
  places.keep('store', place(10_000, new Date(51 * hour)), 0);
  t.same(
    places.of('store', 0),
    [],
    'two days are not enough: an id may be as old as its Idempotency-Key, and moves be uncounted',
  );
  places.keep('store', place(10_000, new Date(49 * hour)), 0);
  places.keep('store', place(10_000 + farAway, new Date(49 * hour)), 0);
  places.keep('store', place(11_000 + farAway, new Date(49 * hour)), 0);
  const below = () => places.of('store', 0).map((known) => known.below);
  t.same(below(), [10_000, 11_000 + farAway], 'none is kept near another');
  t.same(places.of('other', 0), []);
  now = new Date(101 * hour);
  t.equal(below().length, 2);
  now = new Date(101 * hour + 1);
  t.same(below(), []);
});

t.test('places of a list are forgotten once a row may have left it, or come to it, below them', async (t) => {
  const places = listPlaces(() => new Date(100 * hour));
  places.keep('store', place(10_000), 1);
  places.keep('other', place(20_000), 1);
  t.equal(places.of('store', 1).length, 1);
  t.same(places.of('store', 2), []);
  t.same(places.of('store', 1), [], 'for good');
  places.keep('other', place(40_000), 2);
  t.same(
    places.of('other', 2).map(({ below }) => below),
    [40_000],
  );
});

t.test('what is remembered is bounded', async (t) => {
  const places = listPlaces(() => new Date(100 * hour));
  const each = 5_000;
  for (const list of ['a', 'b', 'c', 'd', 'e'])
    for (let index = 0; index < each; index += 1) places.keep(list, place(index * (farAway + 1)), 0);
  t.same(
    ['a', 'b', 'c', 'd', 'e'].map((list) => places.of(list, 0).length),
    [0, each, each, each, each],
  );
});
