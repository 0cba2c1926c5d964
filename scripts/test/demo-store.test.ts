import { chmodSync, statSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { offeredTokenFile, readDemoStore } from '../src/demo-store.ts';

t.test('the file with the demo token is its owner’s, also where an earlier start left it open', (t) => {
  const folder = t.testdir();
  const file = offeredTokenFile(folder);
  t.equal(file, join(folder, 'demo-store.json'));
  const mode = () => statSync(file).mode & 0o777;
  t.equal(mode(), 0o600);
  chmodSync(file, 0o644);
  offeredTokenFile(folder);
  t.equal(mode(), 0o600);
  t.equal(readDemoStore(folder), undefined, 'there is no store yet');
  t.end();
});
