import { randomUUID } from 'node:crypto';
import pg from 'pg';

const limit = 128;

const claim = {
  name: 'claim',
  text: `
    with claimed as (
      update deliveries set claim_id = $1, leased_until = now() + interval '10 seconds', attempts = attempts + 1
      where id = any(array(select id from deliveries
        where next_attempt_at <= now() and (leased_until > now()) is not true
        order by next_attempt_at limit ${limit} for update skip locked))
      returning id, url
    )
    select claimed.*, e.payload::text as payload from claimed,
      lateral (select payload from events where id = claimed.id limit 1) e`,
};

const record = {
  name: 'record',
  text: `
    update deliveries set state = 'delivered', attempted = true, claim_id = null, leased_until = null,
      last_number = 1, last_started_at = now(), last_duration_ms = 5, last_status_code = 200,
      next_attempt_at = null
    where id = any($1::uuid[])`,
};

export type BarestLedger = {
  /** @returns how many it claimed and recorded as delivered, the next claim beside the last record */
  claimAndRecord(): Promise<number>;
  end(): Promise<void>;
};

/**
 * The least that could be called a ledger, in the same tables, on two connections of the bare driver: each delivery is
 * claimed before it is sent, and has its attempt on record. It knows no receivers, fences, retries, lost attempts or
 * order, and reads nothing but what is sent.
 */
export async function openBarestLedger(databaseUrl: string): Promise<BarestLedger> {
  const [claiming, recording] = [new pg.Client(databaseUrl), new pg.Client(databaseUrl)];
  await Promise.all([claiming.connect(), recording.connect()]);
  const next = async (): Promise<string[]> =>
    (await claiming.query({ ...claim, values: [randomUUID()] })).rows.map(({ id }) => id);
  return {
    claimAndRecord: async () => {
      let count = 0;
      let ids = await next();
      while (ids.length > 0) {
        count += ids.length;
        [ids] = await Promise.all([next(), recording.query({ ...record, values: [ids] })]);
      }
      return count;
    },
    end: async () => {
      await Promise.all([claiming.end(), recording.end()]);
    },
  };
}
