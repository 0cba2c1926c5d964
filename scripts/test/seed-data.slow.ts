import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { addDays, dayOf } from '@payments/domain/days';
import { paymentStatuses } from '@payments/domain/status';
import { natsProgram } from '@payments/local-servers/nats-program';
import { callJson } from '@payments/testing/json-client';
import t from 'tap';
import { ownPlaces, startSystem } from './fixtures/running-system.ts';

/** `npm start -- --seed-data`: a month whose figures agree with each other and with the simulated bank's. */
t.setTimeout(300_000);
const missing = await natsProgram().then(
  () => false as const,
  (error: Error) => error.message,
);
const args = ['--seed-data'];
const living = /living through a month/;

type Item = { createdAt: string; status: string; amount: number };
type Totals = {
  items: { day: string; createdCount: number; approvedAmount: number; refundedAmount: number }[];
};
type Figures = { pixCount: number; pixAmount: number; refundCount: number; refundAmount: number };
type Day = { bank: Figures; ours: Figures; differences: unknown[] };
type Delivery = { state: string; createdAt: string; attempts: { startedAt: string }[] };
type Detail = { events: { occurredAt: string }[]; deliveries: Delivery[] };

t.test('a month of payments', { skip: missing }, async (t) => {
  const env = await ownPlaces(t.testdir());
  const begun = Date.now();
  const system = await startSystem(env, args);
  t.teardown(() => system.kill('SIGKILL'));
  t.comment(`up after ${Math.round((Date.now() - begun) / 1_000)} s`);
  const read = <Body>(path: string) =>
    callJson<Body>(`http://localhost:${env.ADMIN_PORT}/admin/${path}`, 'dev-admin-key');
  const today = dayOf(new Date());
  const days = Array.from({ length: 31 }, (_, ago) => addDays(today, -ago));
  const { items: totals } = await read<Totals>('totals?by=day');
  const totalOf = (date: string) => totals.find(({ day }) => day === date);
  const payments: (Item & { id: string })[] = [];
  const perPage = 200;
  for (let page = 1; ; page += 1) {
    const { items } = await read<{ items: (Item & { id: string })[] }>(
      `payments?limit=${perPage}&page=${page}`,
    );
    payments.push(...items);
    if (items.length < perPage) break;
  }
  const reais = (amounts: number[]) => amounts.reduce((sum, one) => sum + Math.round(one * 100), 0);

  await t.test('the mailbox has what people were told', async (t) => {
    const mails = (await (await fetch(`http://localhost:${env.MAILBOX_PORT}/messages`)).json()) as {
      to: string;
      subject: string;
    }[];
    for (const kind of [/em análise/, /O banco iniciou/, /O banco recusou/])
      t.ok(
        mails.some(({ to, subject }) => to === 'owner@demo.local' && kind.test(subject)),
        String(kind),
      );
    t.equal(mails.filter(({ subject }) => /^Seu convite/.test(subject)).length, 6);
  });

  await t.test('in every status, on at least 25 of the last 30 days', async (t) => {
    t.strictSame(new Set(payments.map(({ status }) => status)), new Set(paymentStatuses));
    t.ok(new Set(payments.map(({ createdAt }) => dayOf(new Date(createdAt)))).size >= 25);
    t.ok(payments.length >= 200 && payments.length <= 1_000, String(payments.length));
  });

  await t.test('each day’s total is the sum of its rows, also by the list’s filter', async (t) => {
    for (const day of days) {
      const rows = payments.filter(({ createdAt }) => dayOf(new Date(createdAt)) === day);
      t.equal(totalOf(day)?.createdCount ?? 0, rows.length, day);
      t.equal((await read<{ total: number }>(`payments?from=${day}&to=${day}`)).total, rows.length, day);
    }
    const confirmed = ['approved', 'paid', 'withdrawal_processing', 'receipt_sent', 'rejected'];
    const kept = payments.filter(({ status }) => confirmed.includes(status));
    t.equal(
      reais(totals.map(({ approvedAmount }) => approvedAmount)),
      reais(kept.map(({ amount }) => amount)),
    );
  });

  await t.test('each day is equal at the bank', async (t) => {
    for (const date of days.slice(1)) {
      const { bank, ours, differences } = await read<Day>(`reconciliation?date=${date}`);
      t.strictSame(differences, [], date);
      t.strictSame(ours, bank, date);
      t.equal(reais([bank.refundAmount]), reais([totalOf(date)?.refundedAmount ?? 0]), date);
    }
    const { items } = await read<{ items: unknown[] }>(`reconciliation?from=${days[30]}&to=${days[2]}`);
    t.equal(items.length, 29, 'and the calendar has them checked');
  });

  await t.test('events, deliveries and attempts are of the same moment', async (t) => {
    for (const { id } of payments.slice(0, 40)) {
      const { events, deliveries } = await read<Detail>(`payments/${id}`);
      for (const [index, { state, createdAt, attempts }] of deliveries.entries()) {
        const at = Date.parse(events[index]!.occurredAt);
        t.equal(Date.parse(createdAt), at, id);
        t.equal(state, 'delivered');
        t.ok(Math.abs(Date.parse(attempts[0]!.startedAt) - at) < 60_000, `${id}: ${attempts[0]!.startedAt}`);
      }
    }
  });

  await t.test('what needs attention is what a demonstration shows', async (t) => {
    t.match(await read('overview'), {
      reviews: { waiting: 2 },
      refunds: { owed: 1, unfinished: 0 },
      deliveries: { pending: 0, dead: 0 },
      unmatchedPix: 0,
      chargeProblems: 0,
      endpoints: { failing: 0 },
    });
  });

  await t.test('the docs’ token sees a month, and a second start adds nothing', async (t) => {
    const token = /token=(\S+)/.exec(system.output)?.[1];
    const url = `http://localhost:${env.API_PORT}/api-public/payments`;
    const { total } = await callJson<{ total: number }>(`${url}?to=${days[2]}`, token);
    t.ok(total > 10, String(total));
    system.kill('SIGINT');
    t.match(await system.ended, { code: 0 });
    const again = await startSystem(env, args);
    t.teardown(() => again.kill('SIGKILL'));
    t.match(again.output, 'the stores are there already');
    t.equal((await read<{ total: number }>('payments?limit=1')).total, payments.length);
    again.kill('SIGINT');
    t.match(await again.ended, { code: 0 });
  });
});

t.test('Ctrl-C within the month ends everything in order', { skip: missing }, async (t) => {
  const env = await ownPlaces(t.testdir());
  const system = await startSystem(env, args, living);
  t.teardown(() => system.kill('SIGKILL'));
  system.kill('SIGINT');
  t.match(await system.ended, { code: 0, output: /stopping …\n(.*\n)*stopped\n$/ });
  t.notOk(existsSync(join(env.DATA_DIR!, 'postgres/data/postmaster.pid')), 'PostgreSQL was shut down');
});

t.test('a real bank is not paid', { skip: missing }, async (t) => {
  const env = await ownPlaces(t.testdir());
  for (const [name, value] of [
    ['PIX_URL', 'http://127.0.0.1:1'],
    ['BANKS_FILE', '/banks.json'],
  ] as const)
    t.match(
      await startSystem({ ...env, [name]: value }, args).catch((error: Error) => error.message),
      new RegExp(`--seed-data pays at simulated banks, and ${name} names others: unset it`),
    );
});
