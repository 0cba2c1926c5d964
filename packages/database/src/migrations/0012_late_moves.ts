import { type Kysely, sql } from 'kysely';

/**
 * Counts the moves of payments that are not new, by the lists of a status that they leave and enter: while their number
 * stays the same, places far down such a list do, too (`list-places.ts` says how old is old enough). A trigger, so that
 * what processes of the release before move is counted as well.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  // In the shard and in the order that the move itself is counted in, so that nothing more is waited for.
  `create function count_late_move() returns trigger language plpgsql as $$
    begin
      insert into payment_counts as c (store_id, status, shard, payments, late_moves)
      select new.store_id, moved.status, pg_backend_pid() % 128, 0, 1
      from (values (old.status), (new.status)) as moved (status) order by moved.status
      on conflict (store_id, status, shard) do update set late_moves = c.late_moves + 1;
      return null;
    end
  $$`,

  // A charge that nobody pays ends after a day, unless told otherwise: that is no late move.
  `create trigger payments_count_late_move after update of status on payments for each row
    when (old.status <> new.status and old.created_at < now() - interval '25 hours')
    execute function count_late_move()`,

  // The counts after the payments, as whoever creates or moves one locks them: so neither waits for the other in a circle.
  'alter table payment_counts add column late_moves bigint not null default 0',
];
