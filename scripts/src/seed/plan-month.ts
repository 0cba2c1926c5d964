import { addDays, dayOf, startOf } from '@payments/domain/days';
import { deck, expiryMinutes, type Life, type LifeName, lives, type Step } from './lives.ts';
import type { SeedStore } from './stores.ts';

/** An event of the month, its payment and its time. */
export type Entry = { at: Date; of: object; happen: () => Promise<void> };

const togetherMs = 2 * 60_000;
const togetherAtMost = 4;

/**
 * Groups entries that lie within a few minutes, to live through a month quickly.
 * @returns the groups in the order of time; none has two entries of the same payment
 */
export function groupsOf(entries: readonly Entry[]): Entry[][] {
  const groups: Entry[][] = [];
  for (const entry of entries.toSorted((one, other) => one.at.getTime() - other.at.getTime())) {
    const last = groups.at(-1);
    const first = last?.[0];
    const fits =
      last &&
      first &&
      last.length < togetherAtMost &&
      entry.at.getTime() - first.at.getTime() < togetherMs &&
      !last.some(({ of }) => of === entry.of);
    if (fits) last.push(entry);
    else groups.push([entry]);
  }
  return groups;
}

/** @returns the time of a group: none of its entries is early */
export function timeOf(group: readonly Entry[]): Date {
  return group.at(-1)!.at;
}

export type PlannedPayment = {
  amount: number;
  observation: string;
  email: string;
  /** Seconds; absent for the service's default. */
  expiresIn?: number;
  at: Date;
  /** Nothing happens to it any more by itself, so that no webhook is sent after the demonstration was made. */
  isClosed: boolean;
  steps: { at: Date; step: Step }[];
};

/** Whole days before today. */
export const days = 30;
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
// A payment that begins later could be in the middle of its life.
const lastBeginsMs = 40 * minuteMs;
const lastStepMs = 2 * minuteMs;

/** Sunday first. */
const ofWeekday = [0.5, 0.8, 0.9, 1, 1.05, 1.5, 1.25];
/** By the hour in São Paulo. */
const ofHour = [1, 0, 0, 0, 0, 1, 3, 7, 9, 8, 8, 9, 12, 10, 8, 8, 9, 10, 12, 11, 9, 7, 4, 2];

const customers = ['ana', 'bruno', 'carla', 'diego', 'elisa', 'fabio', 'gabriela', 'heitor', 'iris', 'joao'];

type PlannedStore = Omit<SeedStore, 'fields'>;

/**
 * Plans a store's last thirty days and today: more on Fridays, few at night.
 * @param now the end of the month
 * @param random from 0 up to 1
 * @returns the payments, and what happens to each until now
 */
export function planMonth(
  { goods, perDay, large, waiting }: PlannedStore,
  now: Date,
  random: () => number = Math.random,
): PlannedPayment[] {
  const lives = livesOf(random);
  const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)]!;
  const plan = (at: Date, name: LifeName): PlannedPayment => {
    const [amount, observation] = (name === 'largeInReview' && large) || pick(goods);
    const about = { amount, observation, email: `${pick(customers)}@example.com` };
    const expiresIn = name === 'expired' ? { expiresIn: expiryMinutes * 60 } : {};
    const steps = datedSteps(name, at, random).filter(
      (step) => now.getTime() - step.at.getTime() > lastStepMs,
    );
    return { ...about, ...expiresIn, at, isClosed: !open.has(name), steps };
  };
  const sold = momentsOf(perDay, now, random).map((at) => plan(at, lives.next()));
  const begun = waiting.map(([name, minutesAgo]) =>
    plan(new Date(now.getTime() - minutesAgo * minuteMs), name),
  );
  return [...sold, ...begun];
}

/** @returns when a store sells */
function momentsOf(perDay: number, now: Date, random: () => number): Date[] {
  const moments: Date[] = [];
  for (let day = addDays(dayOf(now), -days); day <= dayOf(now); day = addDays(day, 1)) {
    const weekday = new Date(`${day}T12:00:00Z`).getUTCDay();
    const count = Math.max(1, Math.round(perDay * ofWeekday[weekday]! * (0.75 + random() / 2)));
    for (let each = 0; each < count; each += 1)
      moments.push(new Date(startOf(day).getTime() + (hourOf(random()) + random()) * hourMs));
  }
  return moments.filter((at) => now.getTime() - at.getTime() > lastBeginsMs);
}

/** Deals the deck, shuffled, again and again. */
function livesOf(random: () => number): { next(): LifeName } {
  let hand: LifeName[] = [];
  return {
    next: () => {
      if (hand.length === 0) hand = shuffled(deck, random);
      return hand.pop()!;
    },
  };
}

function datedSteps(name: LifeName, begin: Date, random: () => number): PlannedPayment['steps'] {
  let time = begin.getTime();
  return (lives[name] as Life).map(([from, to, step]) => {
    time += (from + random() * (to - from)) * minuteMs;
    return { at: new Date(time), step };
  });
}

// Somebody or something acts on these after the end of the month, when nobody receives webhooks any more.
const open: ReadonlySet<LifeName> = new Set(['pending', 'inReview', 'largeInReview']);

/** @param share from 0 up to 1 */
function hourOf(share: number): number {
  const all = ofHour.reduce((sum, weight) => sum + weight, 0);
  let left = share * all;
  return ofHour.findIndex((weight) => {
    left -= weight;
    return left < 0;
  });
}

function shuffled<T>(list: readonly T[], random: () => number): T[] {
  return list
    .map((one) => ({ one, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ one }) => one);
}
