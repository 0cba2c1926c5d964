import { ofCreations } from '@payments/database/batching';
import type { Database } from '@payments/database/connection';
import { type PaymentWriter, paymentWriter } from '@payments/database/payments/creation';
import { keyReserver } from '@payments/database/payments/idempotency-keys';
import { type TokenReader, tokenReader } from '@payments/database/stores/authentication';

/** What creations do in the database, and how many are under way. */
export type Creations = {
  tokens: TokenReader;
  reserveKey: ReturnType<typeof keyReserver>;
  insertPayment: PaymentWriter;
  /** Counts a creation as under way until it ends, well or not. */
  countCreation<Result>(create: () => Promise<Result>): Promise<Result>;
};

/** @returns the creations of this process, which share commits where several are under way; what they read waits for none */
export function creationsOn(db: Database): Creations {
  let underWay = 0;
  const together = ofCreations(() => underWay);
  return {
    tokens: tokenReader(db),
    reserveKey: keyReserver(db, together),
    insertPayment: paymentWriter(db, together),
    countCreation: async (create) => {
      underWay += 1;
      try {
        return await create();
      } finally {
        underWay -= 1;
      }
    },
  };
}
