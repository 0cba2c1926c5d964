import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { chosen, targets } from '../../src/mutants/targets.ts';
import { root } from '../../src/repository.ts';

t.test('what is changed, and the tests that should notice, are there', async (t) => {
  t.same(
    targets.map(({ folder }) => folder),
    ['packages/domain', 'packages/webhooks', 'packages/settlement'],
  );
  for (const { folder, sources, tests } of targets) {
    t.ok(sources.length > 0 && tests.length > 0, folder);
    for (const source of sources) t.match(source, /^src\/[\w/-]+\.ts(:\d+-\d+)?$/);
    for (const path of [...sources, ...tests])
      t.ok(existsSync(join(root, folder, path.replace(/:.*/, ''))), `${folder}/${path}`);
  }
});

t.test('a named package is changed as always, a named file whole', async (t) => {
  const [settlement] = chosen(['packages/settlement/']);
  t.equal(settlement, targets[2]);
  t.notOk(settlement?.needsPostgres);
  t.match(chosen(['packages/domain/src/fees.ts']), [{ folder: 'packages/domain', sources: ['src/fees.ts'] }]);
  const file = 'packages/settlement/src/balance.ts';
  t.match(chosen([file]), [{ sources: ['src/balance.ts'], needsPostgres: true }]);
  for (const path of ['packages/pix', 'packages/domain/src/nothing.ts', 'packages/webhooks/src/sender.ts'])
    t.throws(() => chosen([path]), { message: `nothing is changed at ${path}` });
});

t.test('each package says its score', async (t) => {
  for (const { folder } of targets)
    t.match(
      readFileSync(join(root, folder, 'README.md'), 'utf8'),
      /\d+ of \d+ changes \(\d+\.\d %\)/,
      folder,
    );
});

t.test('only this command installs Stryker', async (t) => {
  const manifests = globSync(['package.json', 'scripts/package.json', '{packages,services}/*/package.json'], {
    cwd: root,
  });
  const installing = manifests.filter((path) => readFileSync(join(root, path), 'utf8').includes('@stryker'));
  t.same(installing, ['packages/mutation-tester/package.json']);
  const bootstrap = readFileSync(join(root, 'scripts/bootstrap/dependencies.mjs'), 'utf8');
  t.match(bootstrap, "{ folder: 'packages/mutation-tester', scripts: 'scripts/src/mutants/' }");
});
