import { asServicesRole } from '@payments/testing/database';
import { sql } from 'kysely';
import t, { type Test } from 'tap';
import { connect, type Database } from '../src/connection.ts';
import { recordChange } from '../src/record/changes.ts';
import { checkRecord } from '../src/record/record-check.ts';
import { grantToServices, RoleMissing, rewritesRecord } from '../src/services-role.ts';
import { addPayment, addStore, move, openDatabase, somebody } from './rows.ts';

/** The services' role reads and writes rows, and adds to the record: it can't rewrite it. */
async function asServices(t: Test): Promise<{ owner: Database; services: Database }> {
  const { db: owner, url } = await openDatabase(t);
  const services = connect(await asServicesRole(url));
  t.teardown(() => services.destroy());
  return { owner, services };
}

const add = (db: Database) =>
  recordChange(db, somebody, { action: 'sign_in', at: new Date(), storeId: null });

t.test('it does the work of the services, and its entries are chained', async (t) => {
  const { services } = await asServices(t);
  const payment = await addPayment(services, await addStore(services));
  await move(services, payment, 'approved');
  await add(services);
  await add(services);
  t.match(await checkRecord(services), { entries: 2, broken: undefined });
});

t.test('it can’t rewrite the record, turn off what keeps it, or write a hash', async (t) => {
  const { owner, services } = await asServices(t);
  await add(services);
  for (const statement of [
    'update changes set author = null',
    'delete from changes',
    'truncate changes',
    'alter table changes disable trigger changes_stay',
    'alter table changes disable trigger all',
    'drop trigger changes_chained on changes',
    'drop table changes',
    `insert into change_hashes values (2, 2, '')`,
    'update change_hashes set hash = hash',
    'delete from change_hashes',
    'set session_replication_role = replica',
    'create or replace function refuse_change() returns trigger language plpgsql as $$ begin return new; end $$',
    // A trigger function can be attached to a table of one's own: its rows would enter the chain.
    `create temp table mine (like changes);
      create trigger mine after insert on mine for each row execute function chain_change()`,
    'create trigger none before insert on changes for each row execute function refuse_change()',
    'delete from kysely_migration',
  ])
    await t.rejects(sql.raw(statement).execute(services), { code: '42501' }, statement);
  await services.connection().execute(async (one) => {
    await sql`create temp table change_hashes (position bigint, change_id bigint, hash bytea)`.execute(one);
    await recordChange(one, somebody, { action: 'sign_out', at: new Date(), storeId: null });
    const { rows } = await sql`select from pg_temp.change_hashes`.execute(one);
    t.equal(rows.length, 0, 'the chain is in the owner’s table, whatever this session has');
  });
  t.match(await checkRecord(owner), { entries: 2, broken: undefined });
});

t.test('who could rewrite the record is known', async (t) => {
  const { owner, services } = await asServices(t);
  const role = `member_${Math.random().toString(36).slice(2)}`;
  const reasonOf = (grants: string) =>
    owner.connection().execute(async (one) => {
      const given = grants.replaceAll('ROLE', role);
      await sql.raw(`begin; create role ${role}; ${given}; set local role ${role}`).execute(one);
      const reason = await rewritesRecord(one);
      await sql`rollback`.execute(one);
      return reason;
    });
  t.equal(await rewritesRecord(services), undefined);
  t.match(await rewritesRecord(owner), /owns the record/);
  t.equal(await reasonOf('grant select, insert on changes to ROLE'), undefined);
  for (const [grants, reason] of [
    ['grant update on changes to ROLE', /more/],
    ['grant trigger on changes to ROLE', /more/],
    ['grant insert on change_hashes to ROLE', /more/],
    ['grant pg_write_all_data to ROLE', /more/],
    [`grant set on parameter session_replication_role to ROLE`, /turn off/],
    ['create role ROLE_of; alter schema public owner to ROLE_of; grant ROLE_of to ROLE', /owns/],
  ] as const)
    t.match(await reasonOf(grants), reason, grants);
});

t.test('default privileges that grant more are taken back for the record', async (t) => {
  const { owner, services } = await asServices(t);
  await sql`grant all on all tables in schema public to payments_services`.execute(owner);
  t.match(await rewritesRecord(services), /more/);
  await grantToServices(owner, 'payments_services');
  t.equal(await rewritesRecord(services), undefined);
});

t.test('a role that is not there is named', async (t) => {
  const { db } = await openDatabase(t);
  await t.rejects(grantToServices(db, 'nobody"; drop table changes; --'), RoleMissing);
});
