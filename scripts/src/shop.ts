import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { allowRefunds, exampleShops, shopEnvironment } from './example-shops.ts';
import { demoSecret } from './listen/secret.ts';
import { StartError } from './start-error.ts';

const names = Object.keys(exampleShops).join(', ');
const usage = `npm run shop -- <name> [options]

Runs an example shop for the demo store of a running npm start: ${names}.
It lets the demo store's token refund, and keeps the shop's orders in DATA_DIR.

  --port <n>  where to listen (4100)
  --help      print this`;

/** `npm run shop`: an example shop, from `scripts/examples/`. */
try {
  await shop();
} catch (error) {
  if (!(error instanceof StartError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

async function shop(): Promise<void> {
  const { values, positionals } = read(process.argv.slice(2));
  const command = exampleShops[positionals[0] ?? ''];
  if (values.help || positionals.length === 0) return console.log(usage);
  if (!command) throw new StartError(`there is no shop ${positionals[0]}: ${names}`);
  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new StartError(`--port must be a port number from 1 to 65535, not ${values.port}`);
  const { store, secret, apiUrl, adminUrl, adminKey, dataDir } = await demoSecret(process.env, process.cwd());
  await allowRefunds(adminUrl, adminKey, store.storeId);
  // Another store's cursor would not be known here.
  const file = join(dataDir, `shop-${positionals[0]}-${store.storeId}.json`);
  const [program, ...args] = command(port);
  const env = { ...process.env, ...shopEnvironment({ apiUrl, token: store.token, secret, port, file }) };
  const child = spawn(program, args, { stdio: 'inherit', env });
  child.on('error', () => {
    console.error(`${program} is needed for this shop, and not on this machine`);
    process.exitCode = 1;
  });
  child.on('exit', (code) => {
    process.exitCode = code ?? 0;
    if (process.connected) process.disconnect();
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  process.on('disconnect', () => child.kill());
}

function read(args: string[]) {
  const options = {
    port: { type: 'string', default: '4100' },
    help: { type: 'boolean', default: false },
  } as const;
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    throw new StartError(`${(error as Error).message.split('\n')[0]} (--help tells the options)`);
  }
}
