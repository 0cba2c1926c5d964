import { addDays, dayOf } from '@payments/domain/days';
import t from 'tap';
import { lives } from '../src/seed/lives.ts';
import { days, groupsOf, planMonth, timeOf } from '../src/seed/plan-month.ts';
import { demoGoods, seedStores } from '../src/seed/stores.ts';

const now = new Date('2026-11-25T15:00:00Z');
const plans = [demoGoods, ...seedStores].map((store) => planMonth(store, now));
const all = plans.flat();

t.test('a month has some hundred payments, on each of its days', async (t) => {
  t.ok(all.length > 250 && all.length < 500, String(all.length));
  const seen = new Set(all.map(({ at }) => dayOf(at)));
  for (let day = addDays(dayOf(now), -days); day < dayOf(now); day = addDays(day, 1))
    t.ok(seen.has(day), day);
});

t.test('nothing happens to a payment before the step before it, or in the future', async (t) => {
  for (const { at, steps } of all) {
    const times = [at, ...steps.map((step) => step.at)].map((time) => time.getTime());
    t.strictSame(
      times,
      times.toSorted((one, other) => one - other),
    );
    t.ok(times.every((time) => time < now.getTime() - 60_000));
  }
});

t.test('more is sold on Fridays than on Sundays, and at noon than at night', async (t) => {
  const many = Array.from({ length: 20 }, () => planMonth(seedStores[0]!, now)).flat();
  const where = (matches: (at: Date) => boolean) => many.filter(({ at }) => matches(at)).length;
  const weekday = (at: Date) => new Date(`${dayOf(at)}T12:00:00Z`).getUTCDay();
  t.ok(where((at) => weekday(at) === 5) > 2 * where((at) => weekday(at) === 0));
  const hour = (at: Date) => (at.getUTCHours() + 21) % 24;
  t.ok(where((at) => hour(at) === 12) > 5 * where((at) => hour(at) < 5));
});

t.test('whoever waits at the end is told so without webhooks', async (t) => {
  const open = all.filter(({ isClosed }) => !isClosed);
  t.equal(open.length, 6);
  t.ok(open.every(({ at, steps }) => now.getTime() - at.getTime() < 30 * 60_000 && steps.length <= 1));
});

t.test('every life is lived', async (t) => {
  const many = Array.from({ length: 5 }, () => seedStores.map((store) => planMonth(store, now))).flat(2);
  const kinds = new Set(many.flatMap(({ steps }) => steps.map(({ step }) => JSON.stringify(step))));
  for (const [, , step] of Object.values(lives).flat()) t.ok(kinds.has(JSON.stringify(step)), step.kind);
});

t.test('moments are grouped in order, none early, none twice of the same payment', async (t) => {
  const happen = async () => {};
  const entries = plans.flatMap((plan) =>
    plan.flatMap((of) => [of, ...of.steps].map(({ at }) => ({ at, of, happen }))),
  );
  const groups = groupsOf(entries);
  t.strictSame(
    groups.flat(),
    entries.toSorted((one, other) => one.at.getTime() - other.at.getTime()),
  );
  for (const group of groups) {
    t.equal(new Set(group.map(({ of }) => of)).size, group.length);
    t.ok(group.every(({ at }) => at <= timeOf(group) && timeOf(group).getTime() - at.getTime() < 120_000));
  }
});
