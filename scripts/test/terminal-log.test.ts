import t from 'tap';
import { terminalLog } from '../src/terminal-log.ts';

const shownOf = (level: string, entries: object[]) => {
  const shown: string[] = [];
  const show = terminalLog(level, (line) => shown.push(line));
  for (const entry of entries) show('api', typeof entry === 'string' ? entry : JSON.stringify(entry));
  return shown;
};
const time = '2026-11-21T03:31:03.037Z';

t.test('warnings and errors are one line each', async (t) => {
  const shown = shownOf('warn', [
    { level: 'info', time, msg: 'request completed' },
    { level: 'warn', time, msg: 'lost the connection to NATS' },
    { level: 'error', time, msg: 'failed', err: { type: 'DatabaseError', message: 'gone', stack: 'long' } },
  ]);
  t.same(shown, [
    '03:31:03 WARN  api: lost the connection to NATS',
    '03:31:03 ERROR api: failed (DatabaseError: gone)',
  ]);
});

t.test('a lower level shows more', async (t) => {
  t.equal(shownOf('info', [{ level: 'info', time, msg: 'request completed' }]).length, 1);
});

t.test('a repeated line is shown once', async (t) => {
  const entry = { level: 'warn', time, msg: 'waiting for the database' };
  t.equal(shownOf('warn', [entry, entry, entry]).length, 1);
});

t.test('other output is not shown', async (t) => {
  t.same(shownOf('warn', [{ msg: 'no level' }, ['a list']]), []);
});
