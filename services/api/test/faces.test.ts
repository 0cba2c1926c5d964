import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import t from 'tap';

/** Actions stand apart from their faces (ARCHITECTURE.md): actions know no face, and faces don't know each other. */
const sources = join(import.meta.dirname, '../src');

type Import = { file: string; of: string };

/** Every import of the API: a file of it by its path from `src`, a package by its name. */
const imports: Import[] = globSync('**/*.ts', { cwd: sources }).flatMap((file) => {
  const text = readFileSync(join(sources, file), 'utf8');
  return [...text.matchAll(/(?:from |import\()'([^']+)'/g)].map(([, of = '']) => ({
    file,
    of: of.startsWith('.') ? join(dirname(file), of) : of,
  }));
});

const isKind = (file: string, kind: string) =>
  file.endsWith('.ts') && (basename(file) === `${kind}.ts` || file.endsWith(`-${kind}.ts`));
const isFace = (file: string) =>
  !file.startsWith('administration/kit/') && (isKind(file, 'api') || isKind(file, 'page'));
const wrong = (isWrong: (one: Import) => boolean) => imports.filter(isWrong);

t.test('actions and schemas import no face; actions no HTML and no Fastify', async (t) => {
  const isBelow = (file: string) => /^(actions|schemas)\.ts$/.test(basename(file));
  t.strictSame(
    wrong(({ file, of }) => isBelow(file) && isFace(of)),
    [],
  );
  const isShown = (of: string) => basename(of) === 'parts.ts' || /^@?fastify/.test(of);
  t.strictSame(
    wrong(({ file, of }) => basename(file) === 'actions.ts' && isShown(of)),
    [],
  );
  t.ok(imports.some(({ file }) => basename(file) === 'actions.ts'));
});

t.test('an API and a page never import each other', async (t) => {
  const isInside = (file: string) => /^(administration|people|public|pay)\/./.test(file);
  const crossed = wrong(
    ({ file, of }) =>
      isInside(file) &&
      ((isKind(file, 'api') && isKind(of, 'page')) || (isKind(file, 'page') && isKind(of, 'api'))),
  );
  t.strictSame(crossed, []);
});

t.test('the stores’ interface and the payer’s page import nothing of the administration', async (t) => {
  const reached = wrong(
    ({ file, of }) => /^(public|pay)\//.test(file) && /^(administration|people)\//.test(of),
  );
  t.strictSame(reached, []);
});

t.test('what listeners have in common knows none of what they serve', async (t) => {
  const upwards = wrong(
    ({ file, of }) => /^(http|pages)\//.test(file) && /^(public|pay|docs|administration|people)\//.test(of),
  );
  t.strictSame(upwards, []);
});

t.test('the documents site is known to the listeners alone', async (t) => {
  const known = wrong(({ file, of }) => !/^docs\//.test(file) && /^docs\//.test(of));
  t.strictSame([...new Set(known.map(({ file }) => file))].sort(), [
    'administration/app.ts',
    'public/app.ts',
  ]);
});
