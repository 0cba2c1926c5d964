import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { postmanCollection } from '../src/postman-collection.ts';
import { root } from '../src/repository.ts';

const read = async (file: string) => JSON.parse(await readFile(join(root, 'services/api', file), 'utf8'));

t.test('postman.json is converted from openapi.json; else run npm run openapi', async (t) => {
  t.strictSame(await read('postman.json'), await postmanCollection(await read('openapi.json')));
});
