import { untilWaiting } from '@payments/testing/pause';
import t from 'tap';
import {
  claimCancelled,
  claimUnregistered,
  closeCharge,
  hastenCancellations,
  hastenRegistrations,
  recordRegistration,
} from '../../src/charges/charges.ts';
import type { Queryable } from '../../src/connection.ts';
import { insertPayment } from '../../src/payments/creation.ts';
import { addPayment, addStore, creation, openDatabase, view } from '../rows.ts';

/** After an outage, charges of all stores are due at once: one store's many must not stand before all others' few. */
const { db, url } = await openDatabase(t);
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

/** What may become of a charge while another process hastens it. */
const waiting = { chargeState: 'unregistered', bank: null, chargeTryAt: later } as const;
const cancelling = { chargeState: 'cancelling', bank, chargeTryAt: later } as const;
const registered = { bank, copyAndPaste: '000201', now: lease.now, view };
const races = [
  { what: 'registered', from: waiting, hasten: hastenRegistrations, by: register, left: null },
  {
    what: 'registered and cancelled',
    from: waiting,
    hasten: hastenRegistrations,
    by: cancelAgain,
    left: later,
  },
  {
    what: 'closed before a bank had it',
    from: waiting,
    hasten: hastenRegistrations,
    by: closeCharge,
    left: null,
  },
  { what: 'withdrawn', from: cancelling, hasten: hastenCancellations, by: closeCharge, left: null },
];

async function register(trx: Queryable, id: string): Promise<void> {
  await recordRegistration(trx, id, registered);
}

async function cancelAgain(trx: Queryable, id: string): Promise<void> {
  await register(trx, id);
  await trx.updateTable('payments').set(cancelling).where('id', '=', id).execute();
}

for (const { what, from, hasten, by, left } of races)
  t.test(`a charge that is ${what} while another process hastens it is left as it is`, async (t) => {
    const id = await addPayment(db, await addStore(db));
    await db.updateTable('payments').set(from).where('id', '=', id).execute();
    const hastened = await db.transaction().execute(async (trx) => {
      await by(trx, id);
      const hastening = hasten(db, bank, lease.now);
      await untilWaiting(url, 1);
      return { hastening };
    });
    await hastened.hastening;
    const rows = db.selectFrom('payments').select('chargeTryAt').where('id', '=', id);
    t.same(await rows.executeTakeFirst(), { chargeTryAt: left });
  });
