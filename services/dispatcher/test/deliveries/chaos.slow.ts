import { testNats } from '@payments/testing/nats';
import { type ProcessSystem, startProcessSystem } from '@payments/testing/process-system';
import { eventually } from '@payments/testing/system';
import t from 'tap';
import { openShop, type Shop } from './scene.ts';
import { attemptsOnRecord, openSql, type Sql } from './sql.ts';
import { firstVisits, type Visit, watchReceiver } from './watched-receiver.ts';

/** For a minute: CHAOS_SECONDS=60. */
const seconds = Number(process.env.CHAOS_SECONDS ?? 10);

/** Creates payments and moves them on, until stopped. */
function startLoad(shop: Shop, urlOf: (index: number) => string) {
  let stopped = false;
  let created = 0;
  const client = async () => {
    while (!stopped) {
      const payment = await shop.charge(urlOf(created++));
      if (created % 3 === 0) await shop.move(payment, 'not_approved');
      else await shop.pay(payment);
    }
  };
  const clients = Array.from({ length: 2 }, client);
  return async () => {
    stopped = true;
    await Promise.all(clients);
    return created;
  };
}

/**
 * Kills a dispatcher every second, and starts another.
 * @returns every claim that was held at a kill
 */
async function killEverySecond(system: ProcessSystem, sql: Sql): Promise<Set<string>> {
  const alive = [...system.dispatchers];
  const starting: Promise<unknown>[] = [];
  const inFlight = new Set<string>();
  for (let second = 0; second < seconds; second += 1) {
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const victim = alive.shift();
    await victim?.kill('SIGKILL');
    const claims = await sql('select id, attempts from deliveries where claimed_by is not null');
    for (const { id, attempts } of claims) inFlight.add(`${id} ${attempts}`);
    starting.push(startAnother(system).then((another) => alive.push(another)));
  }
  await Promise.all(starting);
  return inFlight;
}

/** Retries, because another connection may hold the port meanwhile. */
const startAnother = (system: ProcessSystem) =>
  system.startDispatcher().catch(() => system.startDispatcher());

t.test(
  `three dispatchers, one killed a second for ${seconds} s: nothing is lost`,
  { timeout: 0 },
  async (t) => {
    const nats = await testNats();
    t.teardown(nats.stop);
    const env = { NATS_STREAM: nats.stream };
    const system = await startProcessSystem({ dispatchers: 3, natsUrl: nats.url, env });
    t.teardown(system.stop);
    const sql = openSql(t, system.databaseUrl);
    const shop = await openShop(system);
    const receiver = await watchReceiver(t);
    receiver.answerWith(() => ({ delayMs: Math.random() * 150 }));
    const stopLoad = startLoad(shop, (index) => receiver.at(`/${index % 8}`));
    const inFlight = await killEverySecond(system, sql);
    const payments = await stopLoad();
    const stateOf = () =>
      sql(`select (select count(*) from events)::int as events,
      (select count(*) from deliveries where state = 'delivered')::int as delivered,
      (select count(*) from payments where status <> 'pending')::int as moved`);
    await eventually('every event to be delivered', async () => {
      const [{ events, delivered, moved }] = await stateOf();
      return (moved === payments && events === 2 * payments && delivered === events) || undefined;
    });

    const events = await sql('select id, payment_id, sequence from events');
    const arrived = new Set(receiver.visits.map(({ id }) => id));
    t.same(
      events.filter(({ id }) => !arrived.has(id)),
      [],
      `all of ${events.length} events arrived`,
    );
    const bodies = new Map(receiver.visits.map(({ id, body }) => [id, body]));
    t.same(
      receiver.visits.filter(({ id, body }) => bodies.get(id) !== body),
      [],
      'a repeat has the same body',
    );
    const sequences = new Map(events.map(({ id, sequence }) => [id, sequence]));
    t.same(outOfOrder(receiver.visits, sequences), [], 'first attempts are in order');
    const repeats = receiver.visits.length - arrived.size;
    const [{ lost }] = await sql(
      `select count(*)::int as lost from ${attemptsOnRecord} a where stage = 'lost'`,
    );
    t.ok(
      repeats <= lost && lost <= inFlight.size,
      `${repeats} repeats of ${lost} lost, ${inFlight.size} in flight`,
    );
  },
);

function outOfOrder(visits: readonly Visit[], sequences: ReadonlyMap<string, number>): Visit[] {
  const latest = new Map<string, number>();
  return firstVisits(visits).filter(({ id, json }) => {
    const sequence = sequences.get(id) ?? 0;
    const before = latest.get(json.id) ?? 0;
    latest.set(json.id, sequence);
    return sequence !== before + 1;
  });
}
