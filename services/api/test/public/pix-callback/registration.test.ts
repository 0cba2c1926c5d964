import type { PixClient } from '@payments/pix/client';
import { PixRefused, PixUnavailable } from '@payments/pix/errors';
import { pino } from 'pino';
import t from 'tap';
import { registerCallback } from '../../../src/public/pix-callback/registration.ts';

const url = 'https://payments.example/pix-callback/secret';
const wish = 'A autenticação de TLS mútuo não está configurada na URL informada';
const refused = () =>
  Promise.reject(new PixRefused('registerCallback', 400, { type: 'webhook_invalido', detail: wish }));

type Bank = Pick<PixClient, 'getCallback' | 'registerCallback'>;

/** @returns the lines of the log until the loop has written `count` of them */
async function attemptsAt(bank: Bank, count: number) {
  const lines: { msg: string; time: number }[] = [];
  const { promise: written, resolve } = Promise.withResolvers<void>();
  const write = (line: string) => {
    lines.push(JSON.parse(line));
    if (lines.length === count) resolve();
  };
  const log = pino({}, { write });
  const pauses = { firstMs: 20, longestMs: 80 };
  const loop = registerCallback(bank as PixClient, url, log, { pauses });
  await written;
  await loop.stop();
  return lines;
}

t.test(
  'a bank that wants something else is asked with growing pauses, and its wish is in the line',
  async (t) => {
    const lines = await attemptsAt({ getCallback: async () => null, registerCallback: refused }, 5);
    const times = lines.map(({ time }) => time);
    for (const [index, leastMs] of [20, 40, 80, 80].entries())
      t.ok(times[index + 1]! - times[index]! >= leastMs - 2, `${times}: pauses of 20, 40, 80, 80 ms`);
    t.ok(lines.every(({ msg }) => msg.includes(wish)));
  },
);

t.test('an address that can’t be read may be written', async (t) => {
  let written: string | undefined;
  const getCallback = () => Promise.reject(new PixRefused('getCallback', 403, { type: null, detail: null }));
  const bank = {
    getCallback,
    registerCallback: async (one: string) => {
      written = one;
    },
  };
  const lines = await attemptsAt(bank, 1);
  t.equal(written, url);
  t.match(lines, [{ msg: 'the PSP reports Pix to this service' }]);
});

t.test('a bank that is away is asked again', async (t) => {
  let calls = 0;
  const getCallback = async () => {
    calls += 1;
    if (calls < 3) throw new PixUnavailable('getCallback', 'network');
    return url;
  };
  const lines = await attemptsAt({ getCallback, registerCallback: refused }, 3);
  t.equal(calls, 3);
  t.match(lines.at(-1), { msg: 'the PSP reports Pix to this service' });
});
