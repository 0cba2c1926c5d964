import t from 'tap';
import { browserCommand } from '../src/open-browser.ts';
import { readStartOptions } from '../src/start-options.ts';

t.test('npm start -- --open', (t) => {
  t.match(readStartOptions(['--open', '--banks', 'efi']), { open: true, banks: 'efi' });
  t.throws(() => readStartOptions(['--opne']), { message: "Unknown option '--opne'" });
  const url = 'http://localhost:3000/docs';
  t.strictSame(browserCommand('linux', url), ['xdg-open', url]);
  t.strictSame(browserCommand('darwin', url), ['open', url]);
  t.end();
});
