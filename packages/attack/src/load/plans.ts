import type { PaidPix, SeenPayment, SeenStore } from '../observations.ts';
import type { Random } from '../random.ts';
import { cancel, decideReview, moveOn, tryForbidden } from './administrator.ts';
import { pay, payAtExpiry, payLeftover, payUnseen, takeBack } from './payer.ts';
import { refundApproved } from './refunds.ts';
import type { World } from './world.ts';

/** A payment's story: what its customer and administrators do. `share` is its frequency. */
export type Plan = {
  name: string;
  amount(random: Random, store: SeenStore): number;
  play(world: World, payment: SeenPayment): Promise<unknown>;
};

const centavos = (reais: number) => Math.round(reais * 100);
const some = (random: Random) => centavos(random.between(5, 99)) / 100;
const exact = (payment: SeenPayment) => centavos(payment.body.amount);

/** Pays less or more than the amount, mostly by a centavo. */
const payWrong = (world: World, payment: SeenPayment) =>
  pay(world, payment, exact(payment) + world.random.pick([-1, 1, -100, 500]));

/** Pays from an account that refuses refunds: what should go back stays owed. */
const payFromClosed = async (world: World, payment: SeenPayment) => {
  const { random } = world;
  const closed = { refusesRefunds: true };
  const amount = exact(payment) + random.pick([0, 0, 5]);
  const often = random.pick([1, 2]);
  for (let time = 0; time < often; time += 1) await pay(world, payment, amount, closed);
  await (random.chance(0.5) ? refundApproved(world, payment) : decideReview(world, payment));
};

/** Pays, while something else happens as soon as the Pix is made. */
const payAnd =
  (...more: ((world: World, payment: SeenPayment, pix: PaidPix) => Promise<unknown>)[]) =>
  async (world: World, payment: SeenPayment) => {
    const pix = await pay(world, payment, exact(payment));
    if (pix) await Promise.all(more.map((one) => one(world, payment, pix)));
  };

const takenBack = (fromMs: number, toMs: number) => (world: World, _payment: SeenPayment, pix: PaidPix) =>
  takeBack(world, pix, world.random.between(fromMs, toMs));

const every: (Plan & { share: number })[] = [
  { name: 'exact', share: 18, amount: some, play: (world, payment) => pay(world, payment, exact(payment)) },
  { name: 'exact, moved on', share: 6, amount: some, play: payAnd(moveOn) },
  { name: 'wrong amount', share: 7, amount: some, play: payWrong },
  {
    name: 'wrong amount, decided',
    share: 10,
    amount: some,
    play: async (world, payment) => {
      if (await payWrong(world, payment)) await decideReview(world, payment);
    },
  },
  {
    name: 'above reviewAbove',
    share: 6,
    amount: (random, store) =>
      store.reviewAbove === null ? some(random) : store.reviewAbove + Math.floor(some(random)),
    play: (world, payment) => pay(world, payment, exact(payment)),
  },
  {
    name: 'twice',
    share: 6,
    amount: some,
    play: async (world, payment) => {
      await Promise.all([pay(world, payment, exact(payment)), pay(world, payment, exact(payment))]);
    },
  },
  {
    name: 'a leftover, and its own',
    share: 8,
    amount: some,
    play: async (world, payment) => {
      await payLeftover(world, payment);
      await pay(world, payment, exact(payment));
    },
  },
  { name: 'at its expiry', share: 5, amount: some, play: payAtExpiry },
  { name: 'paid in time, seen late', share: 4, amount: some, play: payUnseen },
  { name: 'never', share: 4, amount: some, play: tryForbidden },
  {
    name: 'cancelled as it is paid',
    share: 5,
    amount: some,
    play: async (world, payment) => {
      await Promise.all([cancel(world, payment), pay(world, payment, exact(payment))]);
    },
  },
  { name: 'MED before it is seen', share: 3, amount: some, play: payAnd(takenBack(0, 50)) },
  { name: 'MED', share: 4, amount: some, play: payAnd(takenBack(500, 4_000)) },
  { name: 'MED as it is moved on', share: 4, amount: some, play: payAnd(takenBack(200, 3_000), moveOn) },
  { name: 'two MED', share: 2, amount: some, play: payAnd(takenBack(0, 3_000), takenBack(0, 3_000)) },
  {
    name: 'MED in review',
    share: 5,
    amount: some,
    play: async (world, payment) => {
      const pix = await payWrong(world, payment);
      if (!pix) return;
      await Promise.all([takenBack(500, 7_000)(world, payment, pix), decideReview(world, payment)]);
    },
  },
  { name: 'from an account that takes nothing back', share: 4, amount: some, play: payFromClosed },
  { name: 'refunded', share: 7, amount: some, play: payAnd(refundApproved) },
  { name: 'refunded as it is moved on', share: 3, amount: some, play: payAnd(refundApproved, moveOn) },
  {
    name: 'refunded amid a MED',
    share: 4,
    amount: some,
    play: payAnd(refundApproved, takenBack(200, 4_000)),
  },
  {
    name: 'wrong amount, approved and refunded',
    share: 4,
    amount: some,
    play: async (world, payment) => {
      if (!(await payWrong(world, payment))) return;
      await decideReview(world, payment);
      await refundApproved(world, payment);
    },
  },
];

export const plans: readonly Plan[] = every.flatMap(({ share, ...plan }) => Array<Plan>(share).fill(plan));
