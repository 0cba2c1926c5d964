import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { images } from '../src/container-images.ts';

t.test('tests run against the images that deploy/ pins', async (t) => {
  const deploy = join(import.meta.dirname, '../../../deploy');
  const files = readdirSync(deploy, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.ya?ml$/.test(name),
  );
  const pinned = files.flatMap((name) =>
    [
      ...readFileSync(join(deploy, name), 'utf8').matchAll(/image:\s*['"]?((?:postgres|nats):[^\s'"@]+)/g),
    ].map(([, image]) => image),
  );
  t.same([...new Set(pinned)].sort(), Object.values(images).sort());
});
