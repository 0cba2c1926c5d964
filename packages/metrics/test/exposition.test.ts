import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { call } from '@payments/testing/http';
import { startReceiver } from '@payments/testing/receiver';
import { eventually } from '@payments/testing/system';
import t from 'tap';
import { startMonitored } from './monitored-system.ts';
import { rules } from './monitoring.ts';
import { matches } from './promql/evaluate.ts';
import { parse, usesOf } from './promql/expression.ts';
import type { Sample } from './promql/samples.ts';

/** Alerts and dashboard query only metrics that the services expose. */
const read = (path: string) => readFileSync(new URL(`../../../deploy/${path}`, import.meta.url), 'utf8');

type Panel = { title: string; type: string; targets?: { expr: string; legendFormat: string }[] };
const panels: Panel[] = JSON.parse(read('monitoring/dashboard.json')).panels;
const charts = panels.filter(({ type }) => type !== 'row');

const system = await startMonitored(t);
const receiver = await startReceiver({ answer: () => ({ status: 500 }) });
t.teardown(receiver.close);
await flow();
collectGarbage();
// A receiver gets its webhook before the attempt is recorded, Node tells of a collection after it, and a scan is counted
// after its first turn.
const late = [
  'payments_delivery_attempt_duration_seconds_count',
  'nodejs_gc_duration_seconds_sum',
  'returned-pix',
  'reconciliation',
];
const exposed = await eventually(`${late.join()} to be exposed`, async () => {
  const samples = await system.monitoring.scrapeWhole();
  const seen = new Set(samples.flatMap(({ name, labels }) => [name, labels.scan]));
  return late.every((one) => seen.has(one)) ? samples : undefined;
});

/** The metrics of garbage collection begin with the first one. */
function collectGarbage() {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
}

/** A payment that is paid and delivered, one with a failing receiver, and errors. */
async function flow() {
  const { charge, pay, store, system: running } = system;
  const payment = await charge();
  await pay(payment);
  await running.waitForStatus(store, payment.id, 'approved');
  await charge(10, { webhookUrl: receiver.url });
  await receiver.waitForCount(1);
  await charge(-1);
  await running.api('/api-public/payments');
  await running.api(`/api-public/payments/${payment.id}`, { token: store.token });
}

function isAsked(samples: readonly Sample[], expression: string): string[] {
  const { selectors, labels } = usesOf(parse(expression));
  const missing = selectors.filter((selector) => !samples.some((sample) => matches(selector, sample)));
  const named = new Set(selectors.map(({ name }) => name));
  const known = samples.filter(({ name }) => named.has(name)).flatMap((one) => Object.keys(one.labels));
  const unknown = labels.filter((label) => !known.includes(label));
  return [...missing.map((selector) => JSON.stringify(selector)), ...unknown];
}

t.test('every alert queries exposed metrics', async (t) => {
  for (const { alert, expr } of rules) t.same(isAsked(exposed, expr), [], alert);
});

t.test('every panel of the dashboard queries exposed metrics', async (t) => {
  t.ok(charts.length > 30);
  for (const { title, targets = [] } of charts) {
    t.ok(targets.length > 0, title);
    for (const { expr, legendFormat } of targets) {
      t.same(isAsked(exposed, expr), [], `${title}: ${expr}`);
      const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label);
      const grouped = new Set(usesOf(parse(expr)).labels);
      t.same(
        shown.filter((label) => !grouped.has(label!)),
        [],
        'its legend names what it groups by',
      );
    }
  }
});

t.test('the check finds a query of a metric that does not exist', async (t) => {
  t.not(isAsked(exposed, 'sum by (job) (payments_no_such_metric)').length, 0);
  t.not(isAsked(exposed, 'max(payments_nats_up{state="up"})').length, 0);
  t.not(isAsked(exposed, 'max by (colour) (payments_nats_up)').length, 0);
  t.throws(() => isAsked(exposed, 'sum by (job (payments_nats_up)'), /not PromQL/);
});

t.test('each alert has its entry in the runbook and its test; each entry has its alert', async (t) => {
  const runbook = read('runbook.md');
  const entries = [...runbook.matchAll(/^## (\w+)\n([^#]+)/gm)];
  t.same(entries.map(([, name]) => name).sort(), rules.map(({ alert }) => alert).sort());
  for (const [, name, text] of entries) {
    for (const part of ['Means', 'Look at', 'Do']) t.match(text, `- **${part}** `, `${name}: ${part}`);
    for (const [, mentioned] of text!.matchAll(/\*(Payments\w+)\*/g))
      t.ok(
        rules.some(({ alert }) => alert === mentioned),
        `${name} mentions ${mentioned}`,
      );
    for (const [, chart] of text!.matchAll(/(?<!\*)\*((?!Payments[A-Z])[A-Z][^*]+)\*(?!\*)/g))
      t.ok(
        charts.some(({ title }) => title.startsWith(chart!)),
        `${name} mentions the graph ${chart}`,
      );
  }
  const tests = globSync('alerts/*.ts', { cwd: import.meta.dirname }).map((name) =>
    readFileSync(join(import.meta.dirname, name), 'utf8'),
  );
  for (const { alert, annotations, labels } of rules) {
    const { pathname, hash } = new URL(annotations.runbook_url);
    t.match(pathname, /\/deploy\/runbook\.md$/);
    t.equal(hash, `#${alert.toLowerCase()}`);
    t.match(labels.severity, /^(page|ticket|info)$/);
    t.ok(
      tests.some((text) => text.includes(`untilFiring('${alert}')`)),
      `${alert} is made to fire`,
    );
  }
});

t.test('labels have few values: more payments, stores and URLs make no more series', async (t) => {
  const { system: running, charge, store } = system;
  const idLike = /[0-9a-f]{8}-[0-9a-f]{4}|[0-9a-f]{24}|https?:|@|pp_/;
  for (const { name, labels } of exposed) {
    const { instance: _, ...own } = labels;
    t.notMatch(Object.values(own).join(' '), idLike, name);
  }
  const load = async () => {
    for (let turn = 0; turn < 10; turn += 1) {
      const { id } = await charge();
      const another = await running.createStore();
      await running.api(`/api-public/payments/${id}`, { token: another.token });
      await running.api(`/no/such/route/${id}`, { token: store.token });
      await running.api(`/qr/${id}.png`);
      await running.api(`/api-public/payments?page=${turn + 1}`, { token: store.token });
      await running.api(`/${id}`, { method: turn % 2 ? 'PROPFIND' : 'MKCOL' });
    }
  };
  // The kinds of handles that Node has open vary, and of collections of its garbage.
  const series = async () =>
    (await system.monitoring.scrapeWhole())
      .filter(({ name }) => !/^nodejs_(active|gc)_/.test(name))
      .map(({ name, labels }) => JSON.stringify([name, labels]))
      .sort();
  await load();
  await receiver.waitForCount(2);
  const before = await series();
  await load();
  t.same(await series(), before);
  t.comment(`${before.length} series of both services`);
  t.ok(before.length < 3_000);
});

t.test('metrics are on the admin port and the dispatcher’s, never on the public port', async (t) => {
  const { system: running } = system;
  t.equal((await call(`${running.adminUrl}/metrics`)).status, 200);
  const { status, text } = await running.api('/metrics');
  t.equal(status, 404);
  t.notMatch(text, /payments_/);
});
