import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { clientTypes, clientTypesFile } from '../src/client-types.ts';
import { root } from '../src/repository.ts';

t.test('the client’s types are current: npm run openapi writes them', async (t) => {
  const document = JSON.parse(readFileSync(join(root, 'services/api/openapi.json'), 'utf8'));
  t.equal(readFileSync(join(root, clientTypesFile), 'utf8'), await clientTypes(document));
});
