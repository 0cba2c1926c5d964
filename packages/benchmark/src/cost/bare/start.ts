import { fileURLToPath } from 'node:url';
import { createReplica, heapFlags } from '@payments/testing/replica';
import { bankClient } from '@payments/testing/service-settings';
import { query } from '@payments/testing/sessions';
import { connect } from 'nats';
import type { Ground } from '../../ground.ts';
import type { Measured } from '../gauges.ts';

const stream = 'BARE';
const token = 'bare';

const tables = `
  create table tokens (token text primary key, store_id int not null);
  insert into tokens values ('Bearer ${token}', 1);
  create table payments (
    id uuid primary key, store_id int, status text, amount bigint, code text, webhook_url text, body jsonb,
    created_at timestamptz default now()
  );
  create index on payments (store_id, created_at);
  create table pix (end_to_end_id text primary key, payment_id uuid, amount bigint);
  create index on pix (payment_id);
  create table events (id uuid primary key, payment_id uuid, payload jsonb);
  create index on events (payment_id);
  create table outbox (event_id uuid primary key);
  create table deliveries (id uuid primary key, url text, state text);
  create table attempts (delivery_id uuid, at timestamptz default now(), status int);
  create index on attempts (delivery_id);`;

/**
 * Starts two minimal processes that make the same calls, commits and messages as the service. They check no input, count
 * and log nothing, and have no limits, leases, retries or scans. Their cost is a lower bound for the service's.
 */
export async function startBare(
  ground: Ground,
  env: Record<string, string>,
): Promise<Measured & AsyncDisposable> {
  const database = await ground.createEmptyDatabase();
  await query(database.url, tables);
  const nats = await connect({ servers: ground.natsUrl });
  await (await nats.jetstreamManager()).streams.add({ name: stream, subjects: [`${stream}.*`] });
  const { natsUrl, bankUrl } = ground;
  const settings = {
    ...bankClient,
    DATABASE_URL: database.url,
    NATS_URL: natsUrl,
    PIX_URL: bankUrl,
    NATS_STREAM: stream,
    ...env,
  };
  const [api, dispatcher] = await Promise.all(
    ['api', 'dispatcher'].map((name) =>
      createReplica({
        name: `bare ${name}`,
        module: fileURLToPath(new URL(`./${name}.ts`, import.meta.url)),
        nodeArgs: heapFlags,
        env: settings,
        readyPath: '/',
      }),
    ),
  );
  await Promise.all([api!.start(), dispatcher!.start()]);
  return {
    url: `http://127.0.0.1:${api!.port}`,
    token,
    databaseUrl: database.url,
    api: api!,
    dispatcher: dispatcher!,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([api!.kill(), dispatcher!.kill(), nats.close()]);
      await database.drop();
    },
  };
}
