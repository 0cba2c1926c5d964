// Save as follow.mjs, and run it every minute, by cron: node follow.mjs
// Needs Node 22.13 or later.
import { realpathSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

const db = new DatabaseSync(`${import.meta.dirname}/events.db`, { timeout: 5000 });
db.exec('create table if not exists handled (id text primary key)');
db.exec('create table if not exists place (one integer primary key, next text)');

// Your webhook receiver calls this, too, with the webhook-id, once the signature is verified.
export function handle(id, event) {
  db.exec('begin immediate');
  try {
    const { changes } = db.prepare('insert or ignore into handled values (?)').run(id);
    // Your work, in the same transaction: after a crash, the event comes again.
    if (changes === 1) console.log(event.event, id);
    db.exec('commit');
  } catch (error) {
    db.exec('rollback');
    throw error;
  }
}

async function follow() {
  const after = db.prepare('select next from place').get()?.next;
  const query = after ? `limit=200&after=${after}` : 'limit=200';
  const response = await fetch(`{base_url}/api-public/events?${query}`, {
    headers: { Authorization: `Bearer ${process.env.TOKEN}` },
    signal: AbortSignal.timeout(15_000),
  });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  const { items, next } = await response.json();
  for (const { id, body } of items) handle(id, body);
  // Keep the place only now: all of the page is handled.
  db.prepare('insert or replace into place values (1, ?)').run(next);
  return items.length > 0;
}

// A folder on the way here may be a link.
const started = process.argv[1];
if (started && realpathSync(started) === import.meta.filename) while (await follow());
