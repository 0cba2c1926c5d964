import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { followLines } from '../src/follow-file.ts';

t.test('lines are passed on from a place, also those that come in pieces', async (t) => {
  const file = join(t.testdir(), 'service.log');
  writeFileSync(file, 'an earlier process\n');
  const lines: string[] = [];
  const end = followLines(file, (line) => lines.push(line), 19);
  appendFileSync(file, 'one\ntw');
  appendFileSync(file, 'o\nç');
  appendFileSync(file, '\n');
  end();
  t.same(lines, ['one', 'two', 'ç']);
});

t.test('without a place, the whole file is', async (t) => {
  const file = join(t.testdir(), 'service.log');
  writeFileSync(file, 'one\ntwo\nhalf');
  const lines: string[] = [];
  followLines(file, (line) => lines.push(line))();
  t.same(lines, ['one', 'two']);
});
