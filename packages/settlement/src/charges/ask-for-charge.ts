import { expectUnheard } from '@payments/database/charges/unheard-charges';
import { type BankOnOffer, banksOf, matching, type Route, routeCharge } from '@payments/domain/route-charge';
import type { Bank } from '@payments/pix/banks';
import type { PixClient } from '@payments/pix/client';
import { PixUnavailable } from '@payments/pix/errors';
import type { Logger } from 'pino';
import { isNotAsked, isVerdict } from '../answers.ts';
import type { SettlementContext } from '../context.ts';
import { type ChargeTerms, registerCharge } from './register-charge.ts';

/** A charge that a bank has registered. */
export type TakenCharge = { bank: string; copyAndPaste: string };

type Asked = ChargeTerms & {
  /** The store's banks in order of preference; null for all. */
  banks: readonly string[] | null;
  /** The ids of banks that get no new charges now. */
  pausedBanks: readonly string[];
};

// A customer waits ten seconds at the most.
const askNoMoreAfterMs = 6_500;
// A sale waits so much longer than one operation may take: a repeated request makes two, since it first reads what an
// earlier try left.
const beyondOneMs = 400;
// A bank that was failing is given less: the next one is known to be well.
const probeMs = 1_000;

/**
 * Asks the store's banks for a charge, one after the other until one has registered it. Before the next one is asked, it
 * is on record that the last one may have taken the charge, too; `removeUnheard` removes it there.
 * @returns undefined if none did: the charge is registered later
 * @throws DatabaseUnavailable
 */
export async function askForCharge(
  context: SettlementContext,
  asked: Asked,
  log: Pick<Logger, 'warn'>,
): Promise<TakenCharge | undefined> {
  const started = performance.now();
  const routes = routesFor(context, asked);
  // An earlier try of the same request may have asked any of them, and died.
  if (asked.triedSince) await mayHaveTaken(context, asked, banksOf(asked, context.banks.all()));
  for (const [index, { id, isProbe }] of routes.entries()) {
    const bank = context.banks.find(id);
    if (!bank || performance.now() - started > askNoMoreAfterMs) continue;
    const patienceMs = isProbe && index + 1 < routes.length ? probeMs : bank.timeoutMs + beyondOneMs;
    try {
      return { bank: id, copyAndPaste: await askWithin(bank, asked, context.now(), patienceMs, log) };
    } catch (error) {
      log.warn({ err: error, paymentId: asked.id, bank: id }, 'a bank did not register a charge');
      if (isVerdict(error)) return undefined;
      if (!isNotAsked(error)) await mayHaveTaken(context, asked, [bank]);
    }
  }
  return undefined;
}

function routesFor({ banks }: SettlementContext, asked: Asked): Route[] {
  const offered = banks.all().map(({ id, client }) => ({
    id,
    isPaused: asked.pausedBanks.includes(id),
    health: healthOf(client),
  }));
  return routeCharge(asked, offered);
}

function healthOf({ breakers: { creations } }: PixClient): BankOnOffer['health'] {
  if (creations.state() === 'closed') return 'well';
  return creations.admits() ? 'probe' : 'failing';
}

async function mayHaveTaken(
  { db, now }: SettlementContext,
  { id: paymentId }: Asked,
  banks: readonly Pick<Bank, 'id'>[],
): Promise<void> {
  const askedAt = now();
  await expectUnheard(
    db,
    banks.map(({ id: bank }) => ({ paymentId, bank, askedAt })),
  );
}

function askWithin(
  bank: Bank,
  asked: Asked,
  now: Date,
  ms: number,
  log: Pick<Logger, 'warn'>,
): Promise<string> {
  const answer = registerCharge(matching<ChargeTerms, Bank>(asked, bank), now, log);
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new PixUnavailable('putCharge', 'timeout')), ms);
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}
