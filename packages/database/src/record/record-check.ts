import { hash } from 'node:crypto';
import { sql } from 'kysely';
import type { Database } from '../connection.ts';

/** How an entry differs from what was once committed. */
export type BrokenEntry = {
  /** The entry's id, which `GET /admin/changes` shows. */
  id: number;
  /** Its place in the order of commits; null if it was never committed by the services. */
  position: number | null;
  fault: 'changed' | 'removed' | 'put in' | 'what came before it was removed';
};

export type RecordCheck = {
  /** How many entries match. */
  entries: number;
  /** The hash of the last of those, in hex; null in an empty record. */
  lastHash: string | null;
  /** Which of the expected hashes is none of an entry: what it was made of is no more there. */
  missing: readonly string[];
  broken: BrokenEntry | undefined;
};

// The text of an entry that its hash is over, as `chain_change` in the schema makes it. It must stay as it is.
const entryText = sql.raw(`json_build_array(
  c.id, c.action, c.store_id, c.payment_id, c.subject, c.event_id, c.before, c.after, c.author, c.author_id,
  c.via, c.reason, c.request_id, c.address, c.browser, (extract(epoch from c.occurred_at) * 1000000)::bigint
)::text`);

type Link = { position: number; id: number; hash: Buffer; text: string | null };

/**
 * Verifies the chain of the record from its first entry, page by page. It makes each entry's text by its own SQL, and no
 * function that the tables' owner could replace.
 * @param expected hashes that were noted earlier, in hex: who wrote the whole chain anew, or cut its end off, is found
 * by them alone
 * @param pageSize how many entries are in memory
 * @returns the first entry that does not match, if any
 */
export async function checkRecord(
  db: Database,
  expected: readonly string[] = [],
  pageSize = 1_000,
): Promise<RecordCheck> {
  const missing = new Set(expected);
  let last: Pick<Link, 'position' | 'hash'> = { position: 0, hash: Buffer.alloc(0) };
  const result = (broken: BrokenEntry | undefined): RecordCheck => ({
    entries: last.position,
    lastHash: last.position === 0 ? null : last.hash.toString('hex'),
    missing: [...missing],
    broken,
  });
  for (;;) {
    const links = await readLinks(db, last.position, pageSize);
    for (const link of links) {
      const fault = faultOf(link, last);
      if (fault) return result({ id: link.id, position: link.position, fault });
      last = link;
      missing.delete(link.hash.toString('hex'));
    }
    if (links.length < pageSize) return result(await findPutIn(db, pageSize));
  }
}

function faultOf(link: Link, last: Pick<Link, 'position' | 'hash'>): BrokenEntry['fault'] | undefined {
  if (link.position !== last.position + 1) return 'what came before it was removed';
  if (link.text === null) return 'removed';
  const chained = Buffer.concat([last.hash, Buffer.from(link.text)]);
  return hash('sha256', chained, 'hex') === link.hash.toString('hex') ? undefined : 'changed';
}

async function readLinks(db: Database, after: number, limit: number): Promise<Link[]> {
  const { rows } = await sql<Link>`
    select h.position, h.change_id as id, h.hash, case when c.id is not null then ${entryText} end as text
    from change_hashes h left join changes c on c.id = h.change_id
    where h.position > ${after} order by h.position limit ${limit}`.execute(db);
  return rows;
}

/** @returns the first entry that has no hash: it was committed while the chain's trigger was off */
async function findPutIn(db: Database, limit: number): Promise<BrokenEntry | undefined> {
  for (
    let page = await readIds(db, 0, limit);
    page.lastId !== null;
    page = await readIds(db, page.lastId, limit)
  )
    if (page.putIn !== null) return { id: page.putIn, position: null, fault: 'put in' };
  return undefined;
}

type Ids = { lastId: number | null; putIn: number | null };

async function readIds(db: Database, after: number, limit: number): Promise<Ids> {
  const { rows } = await sql<Ids>`
    select max(page.id) as last_id, min(page.id) filter (where h.change_id is null) as put_in
    from (select id from changes where id > ${after} order by id limit ${limit}) page
    left join change_hashes h on h.change_id = page.id`.execute(db);
  return rows[0]!;
}
