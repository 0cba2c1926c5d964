import { connect } from '@payments/database/connection';
import { addDays, dayOf, startOf } from '@payments/domain/days';
import { callJson } from '@payments/testing/json-client';
import { type Receiver, startReceiver } from '@payments/testing/receiver';
import { demoAccounts } from '../demo-accounts.ts';
import { demoStore } from '../demo-store.ts';
import { type Addresses, create, type LivePayment, type Shop, take } from './live.ts';
import { type PastServices, startPastServices } from './past-services.ts';
import { days, type Entry, groupsOf, type PlannedPayment, planMonth, timeOf } from './plan-month.ts';
import { demoGoods, type SeedStore, seedStores } from './stores.ts';

export type SeedOptions = Addresses & {
  dataDir: string;
  panelUrl: string;
  databaseUrl: string;
  /** The environment of each service. */
  env: { api: NodeJS.ProcessEnv; dispatcher: NodeJS.ProcessEnv };
  /** Ends it early. */
  stopping: AbortSignal;
};

/**
 * Fills a demonstration with a month: services and banks live through it by a clock that is set, and all of it is made
 * as stores, customers and administrators make it. Call it while the services do not run. Stores that are there already
 * stay as they are.
 * @returns the names of the new stores
 */
export async function seedData(options: SeedOptions): Promise<string[]> {
  const now = new Date();
  const past = await startPastServices(options.env, options.bankUrls, startOf(firstDay(now)));
  const receiver = await startReceiver();
  try {
    const missing = await missingStores(options);
    if (missing.length === 0) return [];
    await liveThrough(past, await openShops(options, receiver, missing, now), options.stopping);
    await past.setTime(now);
    await compareDays(options, now);
    return missing.map(({ fields }) => fields.name);
  } finally {
    await past.close();
    await receiver.close();
    await dateDeliveries(options.databaseUrl, now);
  }
}

const firstDay = (now: Date) => addDays(dayOf(now), -days);

async function missingStores({ adminUrl, adminKey }: Addresses): Promise<SeedStore[]> {
  const { items } = await callJson<{ items: { name: string }[] }>(`${adminUrl}/admin/stores`, adminKey);
  return seedStores.filter(({ fields }) => items.every(({ name }) => name !== fields.name));
}

/** Opens the stores at the beginning of the month. @returns all that happens in them and in the demo store */
async function openShops(
  at: SeedOptions,
  receiver: Receiver,
  stores: readonly SeedStore[],
  now: Date,
): Promise<Entry[]> {
  const opened = stores.map(async (store) => {
    const url = `${at.adminUrl}/admin/stores`;
    const { id } = await callJson<{ id: string }>(url, at.adminKey, store.fields);
    const { token } = await callJson<{ token: string }>(`${url}/${id}/tokens`, at.adminKey, {});
    return entriesOf({ at, token, receiver }, planMonth(store, now));
  });
  const { storeId, token } = await demoStore(at);
  // The people who get mails of what happens.
  await demoAccounts({ ...at, storeId });
  const ofDemo = entriesOf({ at, token, receiver }, planMonth(demoGoods, now));
  return [...(await Promise.all(opened)).flat(), ...ofDemo];
}

function entriesOf(shop: Shop, plan: readonly PlannedPayment[]): Entry[] {
  return plan.flatMap((planned) => {
    let payment: LivePayment;
    const creation = async () => {
      payment = await create(shop, planned);
    };
    const steps = planned.steps.map(({ at, step }) => ({ at, happen: () => take(shop, payment, step) }));
    return [{ at: planned.at, happen: creation }, ...steps].map((entry) => ({ ...entry, of: planned }));
  });
}

async function liveThrough(past: PastServices, entries: Entry[], stopping: AbortSignal): Promise<void> {
  for (const group of groupsOf(entries)) {
    stopping.throwIfAborted();
    await past.setTime(timeOf(group));
    await Promise.all(group.map(({ happen }) => happen()));
  }
}

/** Compares every day with the banks (conciliação), as the dispatcher does with the last seven. */
async function compareDays({ adminUrl, adminKey }: Addresses, now: Date): Promise<void> {
  for (let day = firstDay(now); day < dayOf(now); day = addDays(day, 1))
    await callJson(`${adminUrl}/admin/reconciliation?date=${day}`, adminKey);
}

/**
 * Dates deliveries with their events: PostgreSQL dates them by its own clock, which can't be set. All else has the time
 * of the services' clock.
 * @param since PostgreSQL's time when the month began
 */
export async function dateDeliveries(databaseUrl: string, since: Date): Promise<void> {
  await using db = connect(databaseUrl, { poolSize: 1 });
  await db
    .updateTable('deliveries')
    .from('events')
    .set(({ ref }) => ({ createdAt: ref('events.occurredAt') }))
    .whereRef('events.id', '=', 'deliveries.id')
    .where('deliveries.createdAt', '>=', since)
    .execute();
}
