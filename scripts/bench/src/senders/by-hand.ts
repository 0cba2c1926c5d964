import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { databaseUrl } from '../listen.ts';
import type { Job } from './job.ts';
import { concurrency, inParts, serve } from './sender.ts';

/**
 * No library: one narrow table and two statements by the bare driver, in batches. What is sent is claimed for ten seconds
 * before, and its attempt is on record after, in the same row.
 */
const [claiming, recording] = [new pg.Client(databaseUrl), new pg.Client(databaseUrl)];
await Promise.all([claiming.connect(), recording.connect()]);
await claiming.query(`
  create table webhooks (id uuid primary key, job json not null, attempts int not null default 0,
    due_at timestamptz default now(), leased_until timestamptz, attempted_at timestamptz, status_code int)
    with (fillfactor = 50);
  create index on webhooks (due_at) where due_at is not null`);

const enter = "insert into webhooks (id, job) select (job->>'id')::uuid, job from unnest($1::json[]) as job";

const claim = {
  name: 'claim',
  text: `
    update webhooks set leased_until = now() + interval '10 seconds', attempts = attempts + 1
    where id = any(array(select id from webhooks where due_at <= now() and (leased_until > now()) is not true
      order by due_at limit ${concurrency / 2} for update skip locked))
    returning job`,
};

const record = {
  name: 'record',
  text: `
    update webhooks set due_at = null, leased_until = null, attempted_at = now(), status_code = 200
    where id = any($1::uuid[])`,
};

/** What is due, the next claim beside the work on the last. */
async function* claimed(): AsyncGenerator<Job> {
  const next = async (): Promise<Job[]> => (await claiming.query(claim)).rows.map(({ job }) => job);
  let following = next();
  for (;;) {
    const jobs = await following;
    if (jobs.length === 0) return;
    following = next();
    yield* jobs;
  }
}

/** Records what was sent, that of some milliseconds together, until `isOver` and all of it is on record. */
async function recordAll(sent: string[], isOver: () => boolean): Promise<void> {
  while (!isOver() || sent.length > 0) {
    await recording.query({ ...record, values: [sent.splice(0)] });
    await delay(20);
  }
}

let working = Promise.resolve();

async function work(handle: (job: Job) => Promise<void>): Promise<void> {
  const jobs = claimed();
  const sent: string[] = [];
  let isOver = false;
  const worker = async () => {
    for await (const job of jobs) {
      await handle(job);
      sent.push(job.id);
    }
  };
  const recorded = recordAll(sent, () => isOver);
  await Promise.all(Array.from({ length: concurrency }, worker));
  isOver = true;
  await recorded;
}

serve({
  fill: async (jobs) => {
    for (const part of inParts(jobs)) await claiming.query(enter, [part.map((job) => JSON.stringify(job))]);
  },
  work: async (handle) => {
    working = work(handle);
  },
  pause: () => working,
});
