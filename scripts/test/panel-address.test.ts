import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { parse } from 'yaml';
import { root } from '../src/repository.ts';

/** Each file that runs the system tells the services where the panel is: else invitations lead to the public port. */
const deploy = join(root, 'deploy');
const read = (name: string) => readFileSync(join(deploy, name), 'utf8');

/** @returns how often a manifest, a template or a file of settings sets a variable */
const times = (text: string, variable: string) =>
  [...text.matchAll(new RegExp(`^ *(- name: )?${variable}([:=].*)?$`, 'gm'))].length;

t.test('whatever sets PUBLIC_URL also sets ADMIN_URL', async (t) => {
  const names = readdirSync(deploy, { recursive: true, encoding: 'utf8' });
  const settings = names.filter((name) => /\.(ya?ml|env)$/.test(name) && times(read(name), 'PUBLIC_URL') > 0);
  t.same(settings.sort(), [
    'chart/templates/api.yaml',
    'chart/templates/dispatcher.yaml',
    'chart/templates/migration.yaml',
    'compose.yaml',
    'kubernetes/overlays/development/settings.env',
    'kubernetes/overlays/production/settings.env',
  ]);
  for (const name of settings) t.equal(times(read(name), 'ADMIN_URL'), times(read(name), 'PUBLIC_URL'), name);
});

t.test('the chart’s follows from panelHost, and its values say what to set without one', async (t) => {
  for (const name of ['api', 'dispatcher', 'migration'])
    t.match(read(`chart/templates/${name}.yaml`), /\.Values\.panelHost \}\}\n +- name: ADMIN_URL/);
  t.match(read('chart/values.yaml'), /settings\.ADMIN_URL(.*\n)+?panelHost: ""/);
});

t.test('the address is where the admin port is published', async (t) => {
  const { services } = parse(read('compose.yaml'), { merge: true });
  const { port, hostname } = new URL(services.api.environment.ADMIN_URL);
  t.equal(hostname, 'localhost');
  t.ok(services.api.ports.includes(`127.0.0.1:${port}:3001`));
  const overlay = 'kubernetes/overlays/development';
  t.match(read(`${overlay}/settings.env`), /^ADMIN_URL=http:\/\/localhost:3001$/m);
  t.match(read(`${overlay}/kustomization.yaml`), /port-forward service\/payments-api-admin 3001\b/);
});
