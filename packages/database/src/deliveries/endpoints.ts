import { anyOf } from '../arrays.ts';
import type { Queryable } from '../connection.ts';
import { type Author, recordChange } from '../operations/changes.ts';
import { inTransaction } from '../transaction.ts';
import type { ClaimedDelivery } from './claimed-delivery.ts';

export type EndpointPhase = 'closed' | 'open' | 'half-open';

/** What is kept of a receiver that fails: the state of its breaker. Times are epoch milliseconds. */
export type EndpointHealth = {
  phase: EndpointPhase;
  failures: number;
  openings: number;
  until: number | null;
  failingSince: number | null;
};

/** Says what an attempt makes of its endpoint's health; null for one that is well. */
export type EndpointJudge = (health: EndpointHealth | null) => EndpointHealth | null;

type Judged = {
  delivery: ClaimedDelivery;
  record: { startedAt: Date; durationMs: number; error: string | null };
  judge: EndpointJudge;
};

/**
 * Keeps what attempts say of their endpoints, in the transaction that records them: shared by all replicas. An endpoint
 * that is well has no row, so deliveries to it write nothing here.
 */
export async function judgeEndpoints(trx: Queryable, attempts: readonly Judged[]): Promise<void> {
  if (attempts.length === 0) return;
  const known = await lockHealth(
    trx,
    attempts.map(({ delivery }) => delivery.endpoint),
  );
  // In the order of their ids, so that two transactions that judge the same endpoints do not wait in a circle. Three that
  // begin rows between those that they hold still may: one of them then fails, and records its outcomes one by one.
  for (const judged of attempts.toSorted(byEndpointAndEnd)) {
    const { endpoint } = judged.delivery;
    const health = await judgeOne(trx, judged, known.get(endpoint) ?? null);
    if (health) known.set(endpoint, health);
    else known.delete(endpoint);
  }
}

/** Of one endpoint's attempts, the one that ended last has the last word. */
function byEndpointAndEnd(a: Judged, b: Judged): number {
  if (a.delivery.endpoint === b.delivery.endpoint) return endOf(a) - endOf(b);
  return a.delivery.endpoint < b.delivery.endpoint ? -1 : 1;
}

const endOf = ({ record }: Judged) => record.startedAt.getTime() + record.durationMs;

/** @returns what is kept from now on */
async function judgeOne(
  trx: Queryable,
  judged: Judged,
  known: EndpointHealth | null,
): Promise<EndpointHealth | null> {
  const { endpoint } = judged.delivery;
  const health = judged.judge(known);
  if (health === known) return known;
  if (!health) await trx.deleteFrom('failing_endpoints').where('id', '=', endpoint).execute();
  else if (known) await setHealth(trx, judged, health);
  else if (!(await insertHealth(trx, judged, health))) {
    // Another replica recorded a first failure at the same time: this one counts on from that.
    return judgeOne(trx, judged, (await lockHealth(trx, [endpoint])).get(endpoint) ?? null);
  }
  return health;
}

async function lockHealth(trx: Queryable, ids: string[]): Promise<Map<string, EndpointHealth>> {
  const rows = await trx
    .selectFrom('failing_endpoints')
    .select(['id', 'phase', 'failures', 'openings', 'open_until', 'failing_since'])
    .where('id', '=', anyOf(ids))
    .orderBy('id')
    .forUpdate()
    .execute();
  return new Map(
    rows.map(({ id, phase, failures, openings, open_until, failing_since }) => {
      const until = open_until?.getTime() ?? null;
      return [id, { phase, failures, openings, until, failingSince: failing_since.getTime() }];
    }),
  );
}

const columnsOf = ({ phase, failures, openings, until }: EndpointHealth, error: string | null) => ({
  phase,
  failures,
  openings,
  open_until: until === null ? null : new Date(until),
  last_error: error,
});

async function setHealth(trx: Queryable, { delivery, record }: Judged, health: EndpointHealth) {
  const columns = columnsOf(health, record.error);
  await trx.updateTable('failing_endpoints').set(columns).where('id', '=', delivery.endpoint).execute();
}

/** @returns false when there is a row already */
async function insertHealth(
  trx: Queryable,
  { delivery: { endpoint: id, storeId: store_id, url }, record }: Judged,
  health: EndpointHealth,
): Promise<boolean> {
  const failing_since = new Date(health.failingSince ?? Date.now());
  const row = { id, store_id, url: url.replace(/[?#].*$/s, ''), failing_since };
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto('failing_endpoints')
    .values({ ...row, ...columnsOf(health, record.error) })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

/** A receiver that fails now. */
export type FailingEndpoint = {
  id: string;
  storeId: string;
  url: string;
  phase: EndpointPhase;
  failures: number;
  failingSince: Date;
  openUntil: Date | null;
  lastError: string | null;
};

/** @returns the receivers that fail now, longest first */
export async function listFailingEndpoints(db: Queryable, limit: number): Promise<FailingEndpoint[]> {
  return db
    .selectFrom('failing_endpoints')
    .select(['id', 'store_id as storeId', 'url', 'phase', 'failures', 'failing_since as failingSince'])
    .select(['open_until as openUntil', 'last_error as lastError'])
    .orderBy('failing_since')
    .limit(limit)
    .execute();
}

/** Lets deliveries to an endpoint go on at once, as if it had not failed. @returns false when it is not failing */
export async function releaseEndpoint(
  db: Queryable,
  id: string,
  { by, now }: { by: Author; now: Date },
): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    const released = await trx
      .deleteFrom('failing_endpoints')
      .where('id', '=', id)
      .returning(['store_id as storeId', 'url', 'phase', 'failures'])
      .executeTakeFirst();
    if (!released) return false;
    const { storeId, ...from } = released;
    await recordChange(trx, by, { action: 'endpoint.released', at: now, storeId, subject: id, from });
    return true;
  });
}
