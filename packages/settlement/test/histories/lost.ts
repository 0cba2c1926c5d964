import { findPix } from '@payments/database/charges/pix-received';
import { findChargeTold } from '@payments/database/charges/problems';
import type { Database } from '@payments/database/connection';
import { findPayment } from '@payments/database/payments/payments';
import { listRefundsOfPix } from '@payments/database/refunds/refunds';
import { newId, txidOf } from '@payments/domain/identifiers';
import { isAlive, isOurs, type Pix, reais, returned } from './bank.ts';
import { notOnRecord, toldOf } from './check.ts';
import { type Charged, keepVersions, listen, newKnowledge } from './knowledge.ts';
import { returnOf } from './service.ts';
import { chargeSeconds, type Store } from './store.ts';
import type { Done } from './take.ts';
import type { World } from './world.ts';

/** A payment that a restored database does not have. Its charge is at the bank, and its customers have the code. */
export type Lost = Charged & {
  name: string;
  id: string;
  bank: string;
  code: string;
  charged: number;
  /** Its Pix that a person ordered to go back. */
  ordered: string[];
};

/** Lets a bank have the charge of a payment that the service does not know. */
export async function loseOne(
  world: World,
  { place, store }: { place: number; store: Store },
): Promise<Lost> {
  const id = newId();
  const charged = 1_000;
  const bank = world.banks[place]!;
  const terms = { amount: charged, expiresInSeconds: chargeSeconds, payerMessage: 'loja', storeId: store.id };
  await world.context.banks.find(bank.id)!.client.putCharge(txidOf(id), terms);
  const charges = [await bank.charge(txidOf(id))];
  const about = { name: 'C', id, txid: txidOf(id), bank: bank.id, code: charges[0]!.code, charged };
  return { ...about, charges, ordered: [], ...newKnowledge() };
}

type Kept = Pix & { unmatched: string | null };

/** @returns in words, what the service dropped of it, or gave back unordered */
export async function lostDiffers(world: World, lost: Lost, done: readonly Done[]): Promise<string[]> {
  const { db } = world.context;
  lost.charges = await Promise.all(world.banks.map((bank) => bank.charge(lost.txid)));
  lost.pix = lost.charges.flatMap(({ pix }) => pix);
  const kept = await keptOf(db, lost);
  const isSetAside = (await findChargeTold(db, lost)) !== undefined;
  for (const { operation, outcome } of done)
    if (operation.do === 'refundUnmatched' && outcome.end !== 'refused')
      lost.ordered.push(operation.endToEndId);
  const found = listen(
    lost,
    { known: kept, isSetAside, isOurs: false },
    { done, heard: world.front.heard() },
  );
  keepVersions(lost);
  // A payment that was found again has its own rules.
  const isUnordered = ({ id }: Pix) => !lost.ordered.includes(id);
  const isFound = (await findPayment(db, lost.id)) !== undefined;
  const gone = isFound ? [] : lost.pix.filter(isUnordered).filter((pix) => returned(pix, isOursAlive) > 0);
  found.push(...gone.map(({ id }) => `${id} goes back, and nobody ordered that`));
  found.push(...kept.flatMap((one) => wrong(one, lost.pix)));
  return found.map((text) => `${lost.name}: ${text}`);
}

const isOursAlive = (one: Parameters<typeof isOurs>[0]) => isOurs(one) && isAlive(one);

function wrong(kept: Kept, real: readonly Pix[]): string[] {
  const one = real.find(({ id }) => id === kept.id);
  return one?.amount === kept.amount ? [] : [`${kept.id} is kept as ${reais(kept.amount)}`];
}

/** @returns in words, what is neither shown nor gone after the bank is well and the scans ran */
export async function lostInTheEnd({ context: { db } }: World, lost: Lost): Promise<string[]> {
  const kept = await keptOf(db, lost);
  const found = lost.pix.flatMap((pix) => notOnRecord(kept, toldOf(pix), { real: lost.pix, doubts: {} }));
  if (await findPayment(db, lost.id)) return found;
  for (const { id, unmatched, amount, returns } of kept) {
    const isGone = returned({ returns } as Pix, ({ state }) => state === 'made') >= amount;
    if ((unmatched === 'returned') !== isGone)
      found.push(`${id} is ${unmatched}, and ${isGone ? '' : 'not '}gone`);
  }
  return found.map((text) => `${lost.name}: ${text}`);
}

async function keptOf(db: Database, { pix }: Lost): Promise<Kept[]> {
  const ids = pix.map(({ id }) => id);
  const [known, refunds] = [await findPix(db, ids), await listRefundsOfPix(db, ids)];
  const rows = await db
    .selectFrom('pixReceived')
    .select(['endToEndId', 'amount', 'bank'])
    .where('endToEndId', 'in', ids.length > 0 ? ids : [''])
    .execute();
  return known.map(({ endToEndId: id, unmatched }) => {
    const { amount, bank } = rows.find((one) => one.endToEndId === id)!;
    const returns = refunds.filter((one) => one.endToEndId === id).map(returnOf);
    return { id, bank, amount: Number(amount), paidAt: 0, returns, unmatched };
  });
}
