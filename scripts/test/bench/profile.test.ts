import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import { selfTimes } from '../../src/bench/profile.ts';

t.test('self time by function, without what waited', async (t) => {
  const frame = (functionName: string, url = '') => ({ functionName, url, lineNumber: 9, columnNumber: 0 });
  const profile = {
    nodes: [
      { id: 1, callFrame: frame('(idle)') },
      { id: 2, callFrame: frame('parse', 'file:///somewhere/packages/pix/dist/json.js') },
      { id: 3, callFrame: frame('', 'file:///x/node_modules/.pnpm/pg@8/node_modules/pg/lib/client.js') },
    ],
    samples: [1, 2, 2, 3],
    timeDeltas: [5_000, 1_000, 2_000, 1_000],
  };
  t.same(selfTimes(profile, 5), [
    { where: 'parse packages/pix/dist/json.js:10', ms: 3, share: 0.75 },
    { where: '(anonymous) pg/lib/client.js:10', ms: 1, share: 0.25 },
  ]);
  t.equal(selfTimes(profile, 1).length, 1);
});

t.test('a function of a bundle is found where it was written', async (t) => {
  const file = join(t.testdir(), 'main.js');
  const url = pathToFileURL(file).href;
  const map = { version: 3, sources: ['../packages/pix/src/json.ts'], names: [], mappings: ';AAGA' };
  writeFileSync(`${file}.map`, JSON.stringify(map));
  const callFrame = { functionName: 'parse', url, lineNumber: 1, columnNumber: 9 };
  const profile = { nodes: [{ id: 1, callFrame }], samples: [1], timeDeltas: [1_000] };
  t.same(selfTimes(profile, 1), [{ where: 'parse packages/pix/src/json.ts:4', ms: 1, share: 1 }]);
});
