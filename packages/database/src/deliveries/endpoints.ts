import type { DeliveryError } from '@payments/domain/delivery-error';
import { sql } from 'kysely';
import type { Queryable } from '../connection.ts';
import { anyOf, given } from '../filters.ts';
import type { Selected } from '../schema.ts';
import { isOfKind, type KindFilter } from '../stores/kinds.ts';
import type { AttemptOutcome } from './record.ts';

const healthColumns = ['failures', 'openings', 'openUntil', 'failingSince'] as const;

/** The health of a failing endpoint. While its circuit is open, it gets one probe after `openUntil`. */
export type EndpointHealth = Selected<'failingEndpoints', typeof healthColumns>;

/** @returns an endpoint's health after an attempt; null for a healthy one */
export type EndpointJudge = (
  health: EndpointHealth | null,
  attempt: { succeeded: boolean; probe: boolean },
) => EndpointHealth | null;

/** Stores endpoint health for all dispatchers. A healthy endpoint has no row and costs no write. */
export async function judgeEndpoints(
  trx: Queryable,
  judge: EndpointJudge,
  outcomes: readonly AttemptOutcome[],
): Promise<void> {
  const telling = outcomes.filter(({ endpointSucceeded }) => endpointSucceeded !== null);
  await insertFailing(trx, telling);
  const healths = await lockHealth(trx, telling);
  const errors = new Map<string, DeliveryError | null>();
  // The attempt that ended last decides about its endpoint.
  for (const { delivery, attempt, endpointSucceeded } of telling.toSorted((a, b) => endOf(a) - endOf(b))) {
    const { endpoint, probe } = delivery;
    const health = healths.get(endpoint);
    if (health === undefined) continue;
    healths.set(endpoint, judge(health, { succeeded: endpointSucceeded === true, probe }));
    errors.set(endpoint, attempt.error);
  }
  for (const [id, health] of healths) await setHealth(trx, id, health, errors.get(id) ?? null);
}

const endOf = ({ attempt }: AttemptOutcome) => attempt.startedAt.getTime() + attempt.durationMs;

/** Inserts a row to lock even when several dispatchers record the first failure at once. */
async function insertFailing(trx: Queryable, telling: readonly AttemptOutcome[]): Promise<void> {
  const failed = telling.filter(({ endpointSucceeded }) => !endpointSucceeded);
  const rows = new Map(
    failed.map(({ delivery: { endpoint: id, storeId, url } }) => [
      id,
      {
        id,
        storeId,
        url: url.replace(/[?#].*$/s, ''),
        failures: 0,
        openings: 0,
        failingSince: sql<Date>`now()`,
      },
    ]),
  );
  if (rows.size === 0) return;
  await trx
    .insertInto('failingEndpoints')
    .values([...rows.values()].sort((a, b) => (a.id < b.id ? -1 : 1)))
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
}

/** @returns the health of those endpoints that have a row */
async function lockHealth(trx: Queryable, telling: readonly AttemptOutcome[]) {
  const ids = new Set(telling.map(({ delivery }) => delivery.endpoint));
  if (ids.size === 0) return new Map<string, EndpointHealth | null>();
  const rows = await trx
    .selectFrom('failingEndpoints')
    .select(['id', ...healthColumns])
    .where('id', '=', anyOf([...ids]))
    .orderBy('id')
    .forUpdate()
    .execute();
  return new Map<string, EndpointHealth | null>(rows.map(({ id, ...health }) => [id, health]));
}

async function setHealth(
  trx: Queryable,
  id: string,
  health: EndpointHealth | null,
  error: DeliveryError | null,
) {
  if (!health) return void (await trx.deleteFrom('failingEndpoints').where('id', '=', id).execute());
  await trx
    .updateTable('failingEndpoints')
    .set({ ...health, lastError: error })
    .where('id', '=', id)
    .execute();
}

/** The circuit of a failing endpoint: `closed` until it has failed often enough. */
export type EndpointPhase = 'closed' | 'open';

const shownColumns = ['id', 'storeId', 'url', 'failures', 'failingSince', 'openUntil', 'lastError'] as const;

/** An endpoint that is failing now. */
export type FailingEndpoint = Selected<'failingEndpoints', typeof shownColumns> & { phase: EndpointPhase };

/** @returns the endpoints that are failing now, longest first */
export async function listFailingEndpoints(
  db: Queryable,
  limit: number,
  { storeId, test }: KindFilter & { storeId?: string } = {},
): Promise<FailingEndpoint[]> {
  return db
    .selectFrom('failingEndpoints')
    .select(shownColumns)
    .select(sql<EndpointPhase>`case when open_until is null then 'closed' else 'open' end`.as('phase'))
    .where(({ and }) => and(given({ storeId })))
    .where(isOfKind(test, { store: 'storeId' }))
    .orderBy('failingSince')
    .limit(limit)
    .execute();
}

/**
 * Forgets an endpoint's failures, which closes its circuit.
 * @returns the endpoint as it was; undefined if it is not failing
 */
export async function forgetFailures(
  trx: Queryable,
  id: string,
): Promise<Pick<FailingEndpoint, 'storeId' | 'url' | 'failures'> | undefined> {
  return trx
    .deleteFrom('failingEndpoints')
    .where('id', '=', id)
    .returning(['storeId', 'url', 'failures'])
    .executeTakeFirst();
}
