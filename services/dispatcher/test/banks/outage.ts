import { performance } from 'node:perf_hooks';
import { countAsks } from '@payments/testing/bank';
import type { HttpAnswer } from '@payments/testing/http';
import { eventually } from '@payments/testing/system';
import type { Test } from 'tap';
import type { Creation, Load } from './load.ts';
import type { TwoBanks } from './several.ts';

/** A shop that sells at both banks under load, one that sells at the second alone, and the Pix so far. */
export type Trade = {
  two: TwoBanks;
  shop: Load;
  onlySecond: Load;
  paid: { bank: string; id: string }[];
  /** Charges at the first bank that nobody saw, and that were paid. */
  leftovers: string[];
};

/** The effect of an outage of the first bank; milliseconds. */
export type Outage = {
  shownMs: number;
  /** The creations since it was shown, and how many times the first bank was asked for one's charge meanwhile. */
  sold: number;
  asked: number;
  /** The slowest creation of those that began in the first 15 s, and of the later ones. */
  slowestMs: number;
  slowestLaterMs: number;
  /** The slowest creation meanwhile of a store that has nothing at the failing bank. */
  slowestElsewhereMs: number;
  /** The share of creations that took over a second. */
  waited: number;
  backMs: number;
  removedMs: number;
};

const switchMs = 15_000;

/** Lets the first bank fail while so many creations are made, and waits until nothing of that is left. */
export async function sufferOutage(
  t: Test,
  trade: Trade,
  faults: Record<string, unknown>,
  creations: number,
): Promise<Outage> {
  const { two, shop, onlySecond, leftovers } = trade;
  const since = (from: number, to = Number.POSITIVE_INFINITY) =>
    shop.creations.filter(({ at }) => at >= from && at < to);
  await eventually('the bank to be shown as healthy', () => isShown(two, 'healthy'));
  const failedAt = performance.now();
  await two.faults('first', faults);
  await eventually('the bank to be shown as failing', () => isShown(two, 'failing'));
  const shownMs = performance.now() - failedAt;
  const countAsked = countAsks(t, two.system.banks.at('first').url);
  await shop.more(creations);
  await pay(trade, 'second', since(failedAt + 5_000)[0]!);
  for (const txid of two.atBoth().slice(0, 2)) {
    leftovers.push(txid);
    await two.pay('first', (await two.charge('first', txid)).body.pixCopiaECola);
  }

  const asked = countAsked();
  await two.faults('first');
  const backAt = performance.now();
  const isBack = async () => since(backAt).find((one) => two.bankOf(one) === 'first');
  const firstBack = await eventually('sales at the first bank', isBack);
  await eventually('each charge at one bank', async () => two.atBoth().length === 0 || undefined);
  const removedMs = performance.now() - backAt;
  await pay(trade, 'first', firstBack);

  const during = since(failedAt, backAt);
  const elsewhere = onlySecond.creations.filter(({ at }) => at >= failedAt && at < backAt);
  return {
    shownMs,
    sold: since(failedAt + shownMs, backAt).length,
    asked,
    slowestMs: slowest(since(failedAt, failedAt + switchMs)),
    slowestLaterMs: slowest(since(failedAt + switchMs, backAt)),
    slowestElsewhereMs: slowest(elsewhere),
    waited: during.filter(({ ms }) => ms > 1_000).length / during.length,
    backMs: firstBack.at - backAt,
    removedMs,
  };
}

const slowest = (creations: Creation[]) => Math.max(0, ...creations.map(({ ms }) => ms));

async function isShown({ system }: TwoBanks, wanted: string): Promise<true | undefined> {
  const { items } = (await system.admin('/admin/banks')).body;
  return items.some(({ id, state }: HttpAnswer['body']) => id === 'first' && state === wanted) || undefined;
}

async function pay({ two, paid }: Trade, bank: string, { id, code }: Creation): Promise<void> {
  await two.pay(bank, code ?? '');
  paid.push({ bank, id });
}
