import t from 'tap';
import { runAttack } from '../src/run.ts';
import { root } from '../src/sources.ts';

// A short run of `npm run chaos` with a fixed seed, and faults with a recovery of seconds.
const faults = [
  'dispatcher-killed',
  'api-killed',
  'psp-killed',
  'postgres-killed',
  'nats-killed',
  'nats-connection-cut',
  'postgres-connection-cut',
  'psp-loses-answers',
  'psp-repeating',
];
const env = {
  CHARGE_EXPIRES_IN_SECONDS: '5',
  REVIEW_TIMEOUT_SECONDS: '2',
  WEBHOOK_RETRY_SECONDS: '0.3,0.5,1,1,1',
};

t.setTimeout(600_000);

t.test('seven seconds of kills and cuts: every promise holds', { timeout: 600_000 }, async (t) => {
  const options = {
    seed: 20_261_121,
    seconds: 7,
    rate: 8,
    faults,
    cluster: false,
    soak: false,
    defects: undefined,
    report: '',
  };
  const report = await runAttack({ ...options, sources: root, env, pauseSeconds: [0.3, 1] }, (line) =>
    t.comment(line),
  );
  for (const { promise, breaches } of report.promises) t.equal(breaches, 0, promise);
  t.same(report.breaches, []);
  t.same(report.story, []);
  t.comment(JSON.stringify(report.figures));
  t.ok(report.figures.payments! > 0 && report.figures.faults! > 0, 'it was an attack');
});
