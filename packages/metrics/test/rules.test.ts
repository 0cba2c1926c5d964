import t from 'tap';
import { rendered, rules } from './monitoring.ts';
import { evaluate } from './promql/evaluate.ts';
import type { Sample } from './promql/samples.ts';

const ruleOf = (name: string) => rules.find(({ alert }) => alert === name)!;

const up = (job: string, value: number): Sample => ({ name: 'up', labels: { job }, value });

t.test('each service that is gone has an alert of its own, which names it', async (t) => {
  const { expr, annotations } = ruleOf('PaymentsServiceGone');
  const summaries = (samples: Sample[]) =>
    evaluate(expr, [{ at: 0, samples }]).map((point) => rendered(annotations.summary, point));
  t.same(summaries([up('payments-api', 1), up('payments-dispatcher', 1)]), []);
  t.same(summaries([up('payments-api', 1), up('payments-api', 0), up('payments-dispatcher', 0)]), [
    'No replica of payments-dispatcher responds',
  ]);
  t.same(summaries([]), [
    'No replica of payments-api responds',
    'No replica of payments-dispatcher responds',
  ]);
});

t.test('a scan is named with its bank, if it has one', async (t) => {
  const { summary } = ruleOf('PaymentsScanFailing').annotations;
  const summaryFor = (labels: Record<string, string>) => rendered(summary, { labels, value: 4 });
  t.equal(
    summaryFor({ scan: 'refunds', bank: 'efi' }),
    'The timed scan refunds of the bank efi keeps failing',
  );
  t.equal(summaryFor({ scan: 'reviews' }), 'The timed scan reviews keeps failing');
});

t.test('an annotation with an empty label or value is refused', async (t) => {
  const refuse = (annotation: string, value = 1) =>
    t.throws(() => rendered(annotation, { labels: { job: '' }, value }), /is empty|can't write/, annotation);
  refuse('{{ $labels.job }} does not respond');
  refuse('{{ $labels.instance }} does not respond');
  refuse('{{ $value | humanize }} times', Number.NaN);
  refuse('{{ $value | humanizeTimestamp }}');
});

/** @returns the public port's answers a minute apart: none, then so many of each route and status */
function minuteOf(answers: [route: string, status: string, count: number][]) {
  const at = (seconds: number) => ({
    at: seconds,
    samples: answers.map(([route, status, count]): Sample => {
      const labels = { job: 'payments-api', listener: 'public', route, method: 'GET', status };
      return { name: 'payments_http_request_duration_seconds_count', labels, value: seconds ? count : 0 };
    }),
  });
  return [at(0), at(60)];
}

t.test('stores’ failures count among stores’ requests alone', async (t) => {
  const { expr } = ruleOf('PaymentsErrors');
  const others = ['/health/live', '/health/ready', '/pix-callback/:secret', '/docs', '/pay/:id', 'none'];
  const routes = (status: string) => others.map((route): [string, string, number] => [route, status, 1_000]);
  const stores = (failed: number): [string, string, number][] => [
    ['/api-public/payments', '2xx', 100 - failed],
    ['/api-public/payments/:id', '5xx', failed],
  ];
  t.match(evaluate(expr, minuteOf([...stores(2), ...routes('2xx')])), [{ value: 0.02 }]);
  t.same(evaluate(expr, minuteOf([...stores(0), ...routes('5xx')])), [], 'no store noticed');
});
