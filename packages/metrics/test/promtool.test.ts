import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promtoolProgram } from '@payments/local-servers/promtool';
import t from 'tap';

/** Prometheus' own checker, of this machine or of Debian's package; skipped where neither is to be had. */
const program = await promtoolProgram().catch((error: Error) => error);
const promtool = (...args: string[]) => spawnSync(String(program), args, { encoding: 'utf8' });
const path = (name: string) => fileURLToPath(new URL(`../../../deploy/monitoring/${name}`, import.meta.url));
const skip = program instanceof Error ? program.message : false;

t.test('promtool accepts the alert rules', { skip }, async (t) => {
  const { status, stdout, stderr } = promtool('check', 'rules', path('alerts.yaml'));
  t.equal(status, 0, stdout + stderr);
});

t.test('promtool accepts the scrape configuration', { skip }, async (t) => {
  const { status, stdout, stderr } = promtool('check', 'config', path('prometheus.yaml'));
  t.equal(status, 0, stdout + stderr);
});
