import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import t, { type Test } from 'tap';
import { openDatabase } from './rows.ts';

const pathOf = (file: string) => fileURLToPath(new URL(file, import.meta.url));
const tsc = pathOf('../../../node_modules/.bin/tsc');

const project = {
  extends: pathOf('../../../tsconfig.json'),
  compilerOptions: { rewriteRelativeImportExtensions: false, allowImportingTsExtensions: true },
  include: ['*.ts'],
};

/** @returns a program that compiles only if the columns are those of the types */
const programOf = (columns: unknown) => `
import type { Tables } from ${JSON.stringify(pathOf('./columns.ts'))};
export const found: Tables = ${JSON.stringify(columns, null, 2)};`;

/** Compiles a program for each of the columns. @returns a function that gives the errors of the program of a name */
function compile(t: Test, programs: Record<string, unknown>) {
  const files = Object.entries(programs).map(([name, columns]) => [`${name}.ts`, programOf(columns)]);
  const dir = t.testdir({ ...Object.fromEntries(files), 'tsconfig.json': JSON.stringify(project) });
  const lines = spawnSync(tsc, ['-p', dir], { encoding: 'utf8' }).stdout.split('\n');
  return (name: string) => lines.filter((line) => line.includes(`${name}.ts(`));
}

t.test('the table types match the migrated database', async (t) => {
  const { db } = await openDatabase(t);
  const { rows } = await sql<{ tableName: string; columnName: string; described: string }>`
    select table_name, column_name, replace(data_type, 'timestamp with time zone', 'timestamptz')
      || case when column_default is not null then ' default' when is_nullable = 'YES' then ' null' else '' end
      as described
    from information_schema.columns join information_schema.tables using (table_schema, table_name)
    where table_schema = 'public' and table_type = 'BASE TABLE' and table_name not like 'kysely%'`.execute(
    db,
  );
  const found: Record<string, Record<string, string>> = {};
  for (const { tableName, columnName, described } of rows) {
    found[camelCase(tableName)] ??= {};
    found[camelCase(tableName)]![camelCase(columnName)] = described;
  }
  const { stores, ...others } = found;
  const errorsIn = compile(t, {
    found,
    missing: others,
    unknown: { ...others, stores: { ...stores, unknown: 'text' } },
    other: { ...others, stores: { ...stores, active: 'boolean' } },
  });
  t.strictSame(errorsIn('found'), []);
  t.match(errorsIn('missing'), [/'stores' is missing/]);
  t.match(errorsIn('unknown'), [/"unknown"' does not exist/]);
  t.match(errorsIn('other'), [/'"boolean"' is not assignable/]);
});

const camelCase = (name: string) => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
