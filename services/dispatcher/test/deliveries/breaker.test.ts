import type { Endpoint } from '@payments/testing/answers';
import { eventually } from '@payments/testing/system';
import t, { type Test } from 'tap';
import { openScene } from './scene.ts';
import { type Visit, watchReceiver } from './watched-receiver.ts';

const restMs = 300;
const { shop, system, sql } = await openScene(t, {
  env: { WEBHOOK_RETRY_SECONDS: `${restMs / 1_000},${restMs / 1_000}` },
});
for (const _another of [2, 3]) t.teardown((await system.startDispatcher()).close);

/** The administrator's view of a failing endpoint. */
async function shown(url: string): Promise<Endpoint | undefined> {
  const { body } = await system.admin('/admin/endpoints');
  return body.items.find((endpoint) => endpoint.url === url);
}
const release = (id: string) => system.admin(`/admin/endpoints/${id}/release`, { method: 'POST' });
const untilShown = (url: string, phase: string): Promise<Endpoint> =>
  eventually(`${url} to be ${phase}`, async () => {
    const endpoint = await shown(url);
    return endpoint?.phase === phase ? endpoint : undefined;
  });

/**
 * Keeps the circuit open for an hour. A probe that was under way opens it anew for its own time, and after its delivery's
 * record. So this is repeated until no attempt runs and each, all of which failed, is counted at the endpoint.
 * @returns how often it had opened in a row
 */
const keepOpen = (url: string): Promise<number> =>
  eventually(`the circuit of ${url} to stay open`, async () => {
    await sql(`update failing_endpoints set open_until = now() + interval '1 hour' where url = $1`, [url]);
    const [{ openings, stays }] = await sql(
      `select openings, open_until > now() + interval '30 minutes' and running = 0 and failures >= attempts as stays
       from failing_endpoints,
         (select count(claimed_by) as running, sum(attempts) as attempts from deliveries where url = $1) of_deliveries
       where url = $1`,
      [url],
    );
    return stays ? openings : undefined;
  });

/** Two payments, one after the other, whose webhooks show that the dispatchers have looked for what is due. */
async function anotherIsSent(t: Test) {
  const healthy = await watchReceiver(t);
  for (const count of [1, 2]) {
    await shop.charge(healthy.at('/healthy'));
    await healthy.until(() => healthy.visits.length === count);
  }
}
const rows = (url: string) =>
  sql('select id, attempts, state from deliveries where url = $1 order by id', [url]) as Promise<
    { id: string; attempts: number; state: string }[]
  >;
const attemptsOf = async (url: string) => (await rows(url)).reduce((sum, { attempts }) => sum + attempts, 0);

t.test(
  'an endpoint that is down longer than its retries loses only the deliveries that were attempted',
  async (t) => {
    const receiver = await watchReceiver(t);
    const url = receiver.at('/down');
    receiver.answerWith(() => ({ status: 500, delayMs: 50 }));
    const count = 60;
    await shop.chargeMany(count, () => url);

    const open = await untilShown(url, 'open');
    t.match(open, { storeId: shop.id, url, lastError: 'status 500' });
    t.ok(open.failures >= 10, `${open.failures} failures in a row`);
    const openings = await keepOpen(url);
    const tried = receiver.visits.length;
    t.ok(tried < 10 + 3 * 4 + openings, `${tried} attempts: ten, and what three dispatchers had under way`);

    // Three probes fail: one at a time for all three dispatchers, each after a longer rest.
    await sql('update failing_endpoints set open_until = now(), openings = 1 where url = $1', [url]);
    const probes = () => receiver.visits.slice(tried);
    await receiver.until(
      () => probes().length === 3 && probes().every(({ endedAt }) => endedAt !== undefined),
    );
    const [first, second, third] = probes();
    const rest = (from?: Visit, to?: Visit) => (to?.arrivedAt ?? 0) - (from?.endedAt ?? 0);
    t.ok(rest(first, second) >= 2 * restMs, `${rest(first, second)} ms until the second probe`);
    t.ok(rest(second, third) >= 4 * restMs, `${rest(second, third)} ms until the third`);
    await eventually(
      'its record',
      async () => (await attemptsOf(url)) === receiver.visits.length || undefined,
    );
    t.equal(await attemptsOf(url), receiver.visits.length, 'waiting costs no attempt');

    receiver.answerWith(() => ({}));
    await receiver.until(() => receiver.visits.filter(({ status }) => status === 200).length === count);
    await eventually('the breaker to close', async () => ((await shown(url)) ? undefined : true));
    await eventually('the records', async () => {
      return (await rows(url)).every(({ state }) => state === 'delivered') || undefined;
    });
    t.equal(await attemptsOf(url), receiver.visits.length);
  },
);

t.test('an administrator releases an endpoint: its deliveries are sent at once', async (t) => {
  const receiver = await watchReceiver(t);
  const url = receiver.at('/released');
  receiver.answerWith(() => ({ status: 500 }));
  await shop.chargeMany(15, () => url);
  const { id } = await untilShown(url, 'open');
  await keepOpen(url);
  receiver.answerWith(() => ({}));
  const before = receiver.visits.length;
  const fresh = await shop.charge(url);
  await shop.until(fresh, 0, 'in the ledger', () => true);
  await anotherIsSent(t);
  t.equal(receiver.visits.length, before, 'it is left alone');

  t.equal((await release(id)).status, 204);
  await receiver.until(() => receiver.visits.filter(({ status }) => status === 200).length === 16);
  t.equal(await shown(url), undefined);
  t.equal((await release(id)).status, 404);
  t.equal((await release('nonsense')).status, 404);
});

t.test(
  'an endpoint that has failed for days is parked for hours and shown, and can be released',
  async (t) => {
    const receiver = await watchReceiver(t);
    const url = receiver.at('/parked');
    receiver.answerWith(() => ({ status: 500 }));
    await shop.chargeMany(15, () => url);
    const { id } = await untilShown(url, 'open');
    await sql(
      `update failing_endpoints set failing_since = now() - interval '73 hours', open_until = now() where id = $1`,
      [id],
    );
    const parked = await eventually('it to be parked', async () => {
      const endpoint = await shown(url);
      return Date.parse(String(endpoint?.openUntil)) - Date.now() > 3_600_000 ? endpoint : undefined;
    });
    t.equal(parked.phase, 'open');
    t.ok(Math.abs(Date.parse(String(parked.openUntil)) - Date.now() - 6 * 3_600_000) < 60_000);
    receiver.answerWith(() => ({}));
    t.equal((await release(id)).status, 204);
    await receiver.until(() => receiver.visits.filter(({ status }) => status === 200).length === 15);
  },
);

t.test('an endpoint whose rest is over is probed at once with its next delivery', async (t) => {
  const receiver = await watchReceiver(t);
  const url = receiver.at('/quiet');
  receiver.answerWith(() => ({ status: 500 }));
  await shop.chargeMany(12, () => url);
  const { id } = await untilShown(url, 'open');
  // All retries are far away, so none of them can be the probe.
  await keepOpen(url);
  await sql(
    `update deliveries set next_attempt_at = now() + interval '1 hour' where url = $1 and state = 'pending'`,
    [url],
  );
  await sql('update failing_endpoints set open_until = now() where id = $1', [id]);
  await anotherIsSent(t);
  t.equal((await shown(url))?.phase, 'open', 'no probe is in flight, and none is shown');
  receiver.answerWith(() => ({}));
  const payment = await shop.charge(url);
  await shop.until(payment, 0, 'delivered', ({ state }) => state === 'delivered');
  const [probe, ...others] = receiver.visits.filter(({ status }) => status === 200);
  t.equal(probe?.json.id, payment.id, 'the new one is the probe');
  t.same(others, [], 'no retry was due before it');
});
