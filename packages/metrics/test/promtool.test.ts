import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import t from 'tap';

/** Prometheus' own checker, if it is installed (Debian: `apt-get install prometheus`). */
const promtool = (...args: string[]) => spawnSync('promtool', args, { encoding: 'utf8' });
const path = (name: string) => fileURLToPath(new URL(`../../../deploy/monitoring/${name}`, import.meta.url));
const skip = promtool('--version').status === 0 ? false : 'promtool is not installed';

t.test('promtool accepts the alert rules', { skip }, async (t) => {
  const { status, stdout, stderr } = promtool('check', 'rules', path('alerts.yaml'));
  t.equal(status, 0, stdout + stderr);
});

t.test('promtool accepts the scrape configuration', { skip }, async (t) => {
  const { status, stdout, stderr } = promtool('check', 'config', path('prometheus.yaml'));
  t.equal(status, 0, stdout + stderr);
});
