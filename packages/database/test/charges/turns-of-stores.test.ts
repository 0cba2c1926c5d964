import t from 'tap';
import {
  claimCancelled,
  claimUnregistered,
  hastenCancellations,
  hastenRegistrations,
} from '../../src/charges/charges.ts';
import { insertPayment } from '../../src/payments/creation.ts';
import { addPayment, addStore, creation, openDatabase } from '../rows.ts';

/** After an outage, charges of all stores are due at once: one store's many must not stand before all others' few. */
const { db } = await openDatabase(t);
const [busy, small] = [await addStore(db), await addStore(db)];
const stores = [...Array<string>(8).fill(busy), small, small];
const later = new Date(Date.now() + 3_600_000);
const bank = 'default';
const lease = { bank, limit: 2, leaseMs: 60_000, now: new Date() };

/** @returns the store of each charge of the next claims */
async function claimed(claim: typeof claimUnregistered): Promise<string[][]> {
  const all: string[][] = [];
  for (let turn = 0; turn < 3; turn += 1) {
    const payments = await claim(db, lease);
    all.push(payments.map(({ storeId }) => (storeId === busy ? 'busy' : 'small')).sort());
  }
  return all;
}

const inTurn = [
  ['busy', 'small'],
  ['busy', 'small'],
  ['busy', 'busy'],
];

t.test('charges to register are claimed from each store in turn', async (t) => {
  for (const storeId of stores)
    await insertPayment(db, { ...creation(storeId, { copyAndPaste: null }), bank: null });
  // As in an outage: few of them were tried, and the others have been due since their creation.
  const tried = db.selectFrom('payments').select('id').where('storeId', '=', busy).orderBy('id').limit(2);
  await db.updateTable('payments').set({ chargeTryAt: later }).where('id', 'in', tried).execute();
  await hastenRegistrations(db, bank, lease.now);
  t.strictSame(await claimed(claimUnregistered), inTurn);
});

t.test('charges to withdraw are claimed from each store in turn', async (t) => {
  for (const storeId of stores) await addPayment(db, storeId);
  const cancelled = { chargeState: 'cancelling', chargeTryAt: later } as const;
  await db.updateTable('payments').set(cancelled).where('bank', '=', bank).execute();
  t.same(await claimCancelled(db, lease), [], 'not due yet');
  await hastenCancellations(db, bank, lease.now);
  t.strictSame(await claimed(claimCancelled), inTurn);
});
