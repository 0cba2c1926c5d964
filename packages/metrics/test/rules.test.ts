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
