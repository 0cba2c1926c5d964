import type { Database } from '@payments/database/connection';
import { findTotalsDifferences, foldTotals } from '@payments/database/totals/rows';
import { readStatement } from '@payments/database/totals/statement';
import { readTotals } from '@payments/database/totals/totals';
import { isMade, returned, sumOf } from './facts.ts';
import type { Subject } from './history.ts';
import type { Model } from './model.ts';
import { worth } from './worth.ts';

/** @returns in words, the differences of the kept totals and statements to the rows and to the model */
export async function booksDiffer(db: Database, subjects: readonly Subject[]): Promise<string[]> {
  const stores = [...new Set(subjects.map(({ storeId }) => storeId))];
  const found: string[] = [];
  for (const storeId of stores) {
    const models = subjects.filter((one) => one.storeId === storeId).map(({ model }) => model);
    const [totals] = await readTotals(db, { by: 'store', storeId });
    const { items, closing } = await readStatement(db, { storeId, by: 'month' });
    const { key: _, ...figures } = totals!;
    const statement = {
      received: sumOf(items.map(({ received }) => received)),
      givenBack: sumOf(items.map(({ givenBack }) => givenBack)),
      closing,
    };
    found.push(...differs('the totals', figures, sumsOf(models)));
    found.push(...differs('the statement', statement, statementOf(models)));
  }
  // Some changes are folded, others are not.
  await foldTotals(db, 7);
  return [...found, ...differs('the kept totals less the rows', await findTotalsDifferences(db), [])];
}

function differs(what: string, is: unknown, ought: unknown): string[] {
  const [one, other] = [JSON.stringify(is), JSON.stringify(ought)];
  return one === other ? [] : [`${what} are ${one}, and should be ${other}`];
}

/** The rest of an approved payment, and its amount at the approval. */
function booked(model: Model) {
  const approval = model.told.find(({ status }) => status === 'approved');
  const { status, amount, fee } = worth(model);
  const isConfirmed = !['pending', 'review', 'not_approved'].includes(status);
  const left = approval && isConfirmed ? amount : 0;
  return { received: approval?.amount ?? 0, left, fee: left > 0 ? (fee ?? 0) : 0 };
}

function sumsOf(models: readonly Model[]) {
  const all = models.map(booked);
  return {
    createdCount: models.length,
    approvedCount: all.filter(({ left }) => left > 0).length,
    approvedAmount: sumOf(all.map(({ left }) => left)),
    feeAmount: sumOf(all.map(({ fee }) => fee)),
    refundedAmount: sumOf(models.flatMap(({ pix }) => pix.map((one) => returned(one, isMade)))),
  };
}

function statementOf(models: readonly Model[]) {
  const all = models.map(booked);
  return {
    received: sumOf(all.map(({ received }) => received)),
    givenBack: sumOf(all.map(({ received, left }) => received - left)),
    closing: sumOf(all.map(({ left, fee }) => left - fee)),
  };
}
