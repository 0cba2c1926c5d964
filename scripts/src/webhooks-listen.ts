import { startListener } from './listen/listener.ts';
import { readListenOptions, usage } from './listen/options.ts';
import { type DemoSecret, demoSecret } from './listen/secret.ts';
import { StartError } from './start-error.ts';

/** `npm run webhooks:listen`: a receiver for integrators, which verifies, prints and responds to webhooks. */
try {
  await listen();
} catch (error) {
  if (!(error instanceof StartError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

async function listen() {
  const options = readListenOptions(process.argv.slice(2), process.env);
  if (!options) return console.log(usage);
  const demo = options.secret === undefined ? await demoSecret(process.env, process.cwd()) : undefined;
  const secret = options.secret ?? demo?.secret ?? '';
  const say = (line: string) => console.log(`${new Date().toLocaleTimeString('pt-BR')}  ${line}`);
  const listener = await startListener({ ...options, secret }, say);
  console.log(`Listening for webhooks at ${listener.url}. Ctrl-C ends it.`);
  if (demo) console.log(`\n${tryIt(demo, listener.url)}\n`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void listener.close());
}

/** @returns a line to paste that causes a webhook */
function tryIt({ store, apiUrl }: DemoSecret, webhookUrl: string): string {
  const body = JSON.stringify({ amount: 19.9, webhookUrl });
  return `Create a payment of the demo store:\n  curl -s ${apiUrl}/api-public/payments -H 'Authorization: Bearer ${store.token}' -H 'Content-Type: application/json' -d '${body}'`;
}
