import { inSession } from './sessions.ts';

/** The database's settings by deploy/clusters.md, where PgBouncer ignores those of a session. */
const defaults = {
  timezone: 'UTC',
  datestyle: 'ISO',
  default_transaction_isolation: 'read committed',
  jit: 'off',
  statement_timeout: '30s',
  idle_in_transaction_session_timeout: '10s',
};

/** @param url PostgreSQL's own, with the database */
export async function setPooledDefaults(url: string): Promise<void> {
  const database = new URL(url).pathname.slice(1);
  const statements = Object.entries(defaults).map(
    ([setting, value]) => `alter database ${database} set ${setting} = '${value}'`,
  );
  await inSession(url, (client) => client.query(statements.join(';')));
}
