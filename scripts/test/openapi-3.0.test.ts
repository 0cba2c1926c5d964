import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { openApi30 } from '../src/openapi-3.0.ts';
import { root } from '../src/repository.ts';

const read = async (file: string) => JSON.parse(await readFile(join(root, 'services/api', file), 'utf8'));

t.test('openapi-3.0.json is converted from openapi.json; else run npm run openapi', async (t) => {
  t.strictSame(await read('openapi-3.0.json'), openApi30(await read('openapi.json')));
});
