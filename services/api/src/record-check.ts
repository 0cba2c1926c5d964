import { connect } from '@payments/database/connection';
import { assertSchemaCurrent, noTimeout } from '@payments/database/migrate';
import { checkRecord } from '@payments/database/record/record-check';
import { ConfigurationError, readEnvironment } from '@payments/runtime/environment';
import { main } from '@payments/runtime/main';
import { databaseSettings } from '@payments/runtime/settings';
import { Type } from '@sinclair/typebox';

const settings = Type.Object(databaseSettings);
const isHash = /^[0-9a-f]{64}$/;

/**
 * `npm run record:check`, and the image's command `dist/record-check.js`: verifies the record from its first entry. It
 * only reads, as any role that may, beside running services. Arguments are hashes that it printed earlier.
 */
main('record-check', async () => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(1));
  const expected = process.argv.slice(2);
  const other = expected.find((argument) => !isHash.test(argument));
  if (other !== undefined)
    throw new ConfigurationError(`"${other}" is no hash: one is 64 characters of 0-9 and a-f`);
  const { DATABASE_URL } = readEnvironment(settings, process.env);
  const db = connect(DATABASE_URL, { poolSize: 1, applicationName: 'payments-record-check', ...noTimeout });
  try {
    await assertSchemaCurrent(db);
    const { entries, lastHash, missing, broken } = await checkRecord(db, expected);
    const say = (text: string) => process.stdout.write(`${text}\n`);
    if (broken) {
      const { id, position, fault } = broken;
      say(`broken: entry ${id}${position === null ? '' : `, number ${position} of the record`}: ${fault}`);
    }
    // A broken record is read up to its fault only: a hash may stand behind it.
    else for (const hash of missing) say(`broken: no entry has the hash ${hash} any more`);
    say(`${entries} entries match${lastHash === null ? '' : `; last hash ${lastHash}`}`);
    if (broken || missing.length > 0) process.exitCode = 1;
  } finally {
    await db.destroy();
  }
});
