import { sql } from 'kysely';
import { batched } from '../batching.ts';
import type { Database, Queryable } from '../connection.ts';
import type { RepeatedChange } from '../schema.ts';
import { inTransaction } from '../transaction.ts';
import { type Author, type NewChange, recordChange, withoutPersons } from './changes.ts';

/**
 * An act that can be repeated without effect, such as a refusal, a search or an export, has few entries of its own per
 * actor and kind in ten minutes. A last entry tells how many more there were (`times`).
 *
 * Promise: nobody floods the record, which nobody can shorten, and nothing in it is lost. The counts are rows, so
 * replicas share them, and only the deletion of a row makes the last entry: it is made once.
 *
 * A flood must not queue for one row with all connections of a process, so calls are batched.
 */
export type Repeated = {
  /** The one who repeats it: an account, a key, or an address. */
  actor: string;
  /** True if nobody is known to have done it: then the number of actors is bounded, too. */
  isAnonymous?: boolean;
  /** A word that tells it from others of the same action; none by default. */
  kind?: string;
  by: Author;
  change: NewChange;
};

export const windowMs = 10 * 60_000;
export const ownEntriesAtMost = 10;
export const anonymousActorsAtMost = 200;
const anybody = 'others';
// A process whose clock is a little behind may still count.
const graceMs = 60_000;

/** Records it, or counts it where there are entries enough. It is on record when this resolves. */
export const recordRepeated: (db: Database, repeated: Repeated) => Promise<undefined> = batched(recordAll);

type Group = { since: Date; actor: string; kind: string; isAnonymous: boolean; calls: Repeated[] };

function recordAll(db: Database, calls: Repeated[]): Promise<undefined[]> {
  return inTransaction(db, async (trx) => {
    const groups = groupsOf(await withFewStrangers(trx, calls));
    const times = await count(trx, groups);
    for (const [index, { calls }] of groups.entries()) {
      const before = (times[index] ?? 0) - calls.length;
      const own = calls.slice(0, Math.max(0, ownEntriesAtMost - before));
      for (const { by, change } of own) await recordChange(trx, by, change);
    }
    return calls.map(() => undefined);
  });
}

const sinceOf = ({ change }: Repeated) => new Date(Math.floor(change.at.getTime() / windowMs) * windowMs);

/** Counts strangers beyond the bound as one. */
async function withFewStrangers(trx: Queryable, calls: Repeated[]): Promise<Repeated[]> {
  if (!calls.some(({ isAnonymous }) => isAnonymous)) return calls;
  // Each would find room for all of its own.
  await sql`select pg_advisory_xact_lock(hashtextextended('payments: strangers in the record', 0))`.execute(
    trx,
  );
  const rows = await trx
    .selectFrom('repeatedChanges')
    .select(['since', 'actor'])
    .distinct()
    .where('isAnonymous', '=', true)
    .where('since', '>=', new Date(Math.min(...calls.map((call) => sinceOf(call).getTime()))))
    .execute();
  const known = new Map<number, Set<string>>();
  for (const { since, actor } of rows)
    known.set(since.getTime(), (known.get(since.getTime()) ?? new Set()).add(actor));
  return calls.map((call) => {
    if (!call.isAnonymous) return call;
    const since = sinceOf(call).getTime();
    const actors = known.get(since) ?? new Set();
    if (!actors.has(call.actor) && actors.size >= anonymousActorsAtMost) return { ...call, actor: anybody };
    known.set(since, actors.add(call.actor));
    return call;
  });
}

/** In one order everywhere: two transactions that lock the same rows must not wait for each other. */
function groupsOf(calls: Repeated[]): Group[] {
  const groups = new Map<string, Group>();
  for (const call of calls) {
    const { actor, kind = '', isAnonymous = false, change } = call;
    const since = sinceOf(call);
    const group = { since, actor, kind: `${change.action} ${kind}`.trim(), isAnonymous, calls: [] };
    const key = JSON.stringify([since, actor, group.kind]);
    const found = groups.get(key) ?? group;
    found.calls.push(call);
    groups.set(key, found);
  }
  return [...groups].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, group]) => group);
}

/** @returns how often there was each in its ten minutes, with these */
async function count(trx: Queryable, groups: readonly Group[]): Promise<number[]> {
  const rows = groups.map(({ calls, ...group }) => {
    const { by, change } = calls.at(-1)!;
    return { ...group, times: calls.length, last: JSON.stringify({ by, change }, withoutPersons) };
  });
  const counted = await trx
    .insertInto('repeatedChanges')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['since', 'actor', 'kind']).doUpdateSet({
        times: sql`repeated_changes.times + excluded.times`,
        last: sql`excluded.last`,
      }),
    )
    .returning(['since', 'actor', 'kind', 'times'])
    .execute();
  const keyOf = ({ since, actor, kind }: Pick<Group, 'since' | 'actor' | 'kind'>) =>
    JSON.stringify([since, actor, kind]);
  const times = new Map(counted.map((row) => [keyOf(row), row.times]));
  return groups.map((group) => times.get(keyOf(group)) ?? 0);
}

/**
 * Records how often there was more, of ten minutes that are over.
 * @returns the number of counts that it ended
 */
export function finishRepeated(db: Database, { now, limit }: { now: Date; limit: number }): Promise<number> {
  const before = new Date(now.getTime() - windowMs - graceMs);
  return inTransaction(db, async (trx) => {
    const { rows } = await sql<{ times: number; last: RepeatedChange }>`
      delete from repeated_changes r using (
        select since, actor, kind from repeated_changes where since <= ${before}
        order by since, actor, kind limit ${limit} for update skip locked
      ) done
      where r.since = done.since and r.actor = done.actor and r.kind = done.kind
      returning r.times, r.last`.execute(trx);
    for (const { times, last } of rows)
      if (times > ownEntriesAtMost) await recordChange(trx, last.by, theRest(last, times - ownEntriesAtMost));
    return rows.length;
  });
}

/** The latest of them, with their number. */
function theRest({ change }: RepeatedChange, times: number): NewChange {
  return { ...change, at: new Date(change.at), to: { ...change.to, times } };
}
