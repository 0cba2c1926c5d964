import { sql } from 'kysely';
import type { Database, Queryable } from './connection.ts';

/**
 * The services' own role. The schema's owner may do anything to a table, also turn off what keeps the record as it is;
 * so what runs all day, and is reached from outside, must be another role.
 */

/** There is no such role. */
export class RoleMissing extends Error {
  override readonly name = 'RoleMissing';
}

/**
 * Lets a role do what the services do, and no more: read and write rows, add to the record, and read the record's
 * chain. It may be called again, after each migration.
 * @throws RoleMissing
 */
export async function grantToServices(db: Database, role: string): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const run = (statement: string) => sql.raw(statement).execute(trx);
    const { rows } = await sql<{ schema: string; role: string | null }>`
      select quote_ident(current_schema()) as schema,
        (select quote_ident(rolname) from pg_roles where rolname = ${role}) as role`.execute(trx);
    const { schema, role: to } = rows[0]!;
    if (to === null) throw new RoleMissing('the server has no role of this name');
    await run(`grant usage on schema ${schema} to ${to}`);
    await run(`grant select, insert, update, delete on all tables in schema ${schema} to ${to}`);
    await run(`grant usage on all sequences in schema ${schema} to ${to}`);
    // Default privileges of the owner may have granted more.
    await run(`revoke all on changes, change_hashes from ${to}`);
    await run(`grant select, insert on changes to ${to}`);
    await run(`grant select on change_hashes to ${to}`);
    for (const table of ['kysely_migration', 'kysely_migration_lock'])
      await run(`revoke insert, update, delete on ${table} from ${to}`);
  });
}

/** @returns why the connection's role could rewrite the record; undefined if it only adds to it */
export async function rewritesRecord(db: Queryable): Promise<string | undefined> {
  // An owner's member may become the owner, and a superuser counts as a member of every role.
  const { rows } = await sql<{ owns: boolean; mayMore: boolean; turnsOff: boolean }>`
    select
      bool_or(pg_has_role(c.relowner, 'MEMBER') or pg_has_role(n.nspowner, 'MEMBER')) as owns,
      bool_or(has_table_privilege(c.oid, 'UPDATE, DELETE, TRUNCATE, TRIGGER')
        or (c.relname = 'change_hashes' and has_table_privilege(c.oid, 'INSERT'))) as may_more,
      has_parameter_privilege('session_replication_role', 'SET') as turns_off
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.oid in ('changes'::regclass, 'change_hashes'::regclass)`.execute(db);
  const { owns, mayMore, turnsOff } = rows[0]!;
  if (owns) return 'this role owns the record of changes, or may become its owner';
  if (mayMore) return 'this role may do more to the record of changes than add to it';
  return turnsOff ? 'this role may turn off the triggers that keep the record' : undefined;
}
