import t from 'tap';
import { filesOfPatterns, patternsOf } from '../src/patterns.ts';

// linear-patterns.slow.ts counts the steps of each.
const found = filesOfPatterns().map(patternsOf);

t.test('the search finds what it must: literals, texts of `RegExp`, and patterns of schemas', (t) => {
  const inFile = (path: string) => patternsOf(path).fixed.map(({ source }) => source);
  t.ok(inFile('services/api/src/administration/kit/form-values.ts').includes('%$'));
  t.ok(inFile('packages/pix-simulator/src/api-pix/cob.ts').includes('^\\d{1,9}$'));
  t.equal(patternsOf('packages/domain/src/personal-data.ts').made.length, 1);
  t.ok(found.flatMap(({ fixed }) => fixed).length > 200);
  t.end();
});

t.test('a regular expression that is made at run time says what bounds it', (t) => {
  for (const { place, bound } of found.flatMap(({ made }) => made)) t.ok(bound, place);
  t.end();
});
