import type { SeenPayment, SeenStore } from '../account.ts';
import type { Random } from '../random.ts';
import { cancel, decideReview, moveOn, tryForbidden } from './administrator.ts';
import { pay, payAtExpiry, takeBack } from './payer.ts';
import type { World } from './world.ts';

/** What becomes of a payment, as its customer and the administrators have it; its share is how often it is there. */
export type Plan = {
  name: string;
  amount(random: Random, store: SeenStore): number;
  play(world: World, payment: SeenPayment): Promise<unknown>;
};

const centavos = (reais: number) => Math.round(reais * 100);
const some = (random: Random) => centavos(random.between(5, 99)) / 100;
const exact = (payment: SeenPayment) => centavos(payment.body.amount);

const every: (Plan & { share: number })[] = [
  { name: 'exact', share: 34, amount: some, play: (world, payment) => pay(world, payment, exact(payment)) },
  {
    name: 'exact, moved on',
    share: 8,
    amount: some,
    play: async (world, payment) => {
      await pay(world, payment, exact(payment));
      await moveOn(world, payment);
    },
  },
  {
    name: 'wrong amount',
    share: 10,
    amount: some,
    play: (world, payment) => pay(world, payment, exact(payment) + world.random.pick([-1, 1, -100, 500])),
  },
  {
    name: 'wrong amount, decided',
    share: 8,
    amount: some,
    play: async (world, payment) => {
      await pay(world, payment, exact(payment) - 1);
      await decideReview(world, payment);
    },
  },
  {
    name: 'above reviewAbove',
    share: 8,
    amount: (random, store) =>
      store.reviewAbove === null ? some(random) : store.reviewAbove + Math.floor(some(random)),
    play: (world, payment) => pay(world, payment, exact(payment)),
  },
  {
    name: 'twice',
    share: 8,
    amount: some,
    play: async (world, payment) => {
      await Promise.all([pay(world, payment, exact(payment)), pay(world, payment, exact(payment))]);
    },
  },
  { name: 'at its expiry', share: 6, amount: some, play: (world, payment) => payAtExpiry(world, payment) },
  { name: 'never', share: 6, amount: some, play: async (world, payment) => tryForbidden(world, payment) },
  {
    name: 'cancelled as it is paid',
    share: 6,
    amount: some,
    play: async (world, payment) => {
      await Promise.all([cancel(world, payment), pay(world, payment, exact(payment))]);
    },
  },
  {
    name: 'taken back by the bank',
    share: 6,
    amount: some,
    play: async (world, payment) => {
      const pix = await pay(world, payment, exact(payment));
      if (pix) await takeBack(world, pix);
    },
  },
];

export const plans: readonly Plan[] = every.flatMap(({ share, ...plan }) => Array<Plan>(share).fill(plan));
