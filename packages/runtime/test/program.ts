import { createServer } from 'node:http';
import { getDefaultAutoSelectFamilyAttemptTimeout } from 'node:net';
import { Type } from '@sinclair/typebox';
import { readEnvironment } from '../src/environment.ts';
import { createLogger } from '../src/logging.ts';
import { closeOnSignals, main } from '../src/main.ts';
import { portSetting } from '../src/settings.ts';

/**
 * A minimal service that the tests run as a process. `THROW` ends it with a fatal error, `EXIT` at once, after so many
 * `LINES`. `ADDRESSES` logs how long it tries one of a name's addresses before the next.
 * `COMPILE` is how many functions become hot just before the end, while the heap is nearly full.
 */
main('small', async () => {
  const { PORT } = readEnvironment(Type.Object({ PORT: portSetting(0, 'Port') }), process.env);
  const log = createLogger('small', 'info');
  const server = createServer((_request, response) => response.end('ok'));
  const { HOST = '127.0.0.1' } = process.env;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(PORT, HOST, resolve);
  });
  closeOnSignals(log, Number(process.env.GRACE_MS ?? 5_000), async () => {
    await new Promise((resolve) => setTimeout(resolve, Number(process.env.CLOSING_MS ?? 50)));
    log.info('closed');
  });
  log.info({ ...JSON.parse(process.env.FIELDS ?? '{}') }, 'listening');
  if (process.env.ADDRESSES)
    log.info({ ms: getDefaultAutoSelectFamilyAttemptTimeout() }, 'an address is tried');
  const lines = Number(process.env.LINES ?? 0);
  for (let line = 0; line < lines; line += 1) log.info({ line, text: 'x'.repeat(200) }, 'about to leave');
  if (process.env.COMPILE) compile(Number(process.env.COMPILE));
  if (process.env.EXIT) process.exit();
  if (process.env.THROW)
    setTimeout(() => {
      throw new Error(process.env.THROW);
    });
});

/** Gives V8's threads this many functions to optimise, whose code finds no room without a garbage collection. */
function compile(count: number) {
  const kept: object[] = [];
  while (process.memoryUsage().heapUsed < 36_000_000)
    for (let object = 0; object < 2_000; object += 1) kept.push({ object, more: [object, object] });
  const places = Array.from({ length: 20 }, (_, place) => place);
  const lines = places.map(
    (n) => `s += a[${n}] * a[1]; o.x${n % 7} = s; if (s > 1e${(n % 9) + 3}) s -= o.x${(n + 3) % 7} | 0;`,
  );
  // V8 compiles equal texts once.
  const functions = Array.from(
    { length: count },
    (_, n) => new Function('a', 'o', `let s = ${n}; ${lines.join(' ')}`),
  );
  const object = { x0: 0, x1: 0, x2: 0, x3: 0, x4: 0, x5: 0, x6: 0 };
  for (let turn = 0; turn < 560; turn += 1) for (const one of functions) one(places, object);
  Object.assign(globalThis, { kept });
}
