import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import t from 'tap';
import { always, answer, listen } from './listener.ts';

const run = promisify(execFile);

/** Sends one webhook from its own process, since Node reads proxy variables at its start. */
const script = (url: string) => `
  import { createAddressPolicy } from '@payments/webhooks/addresses';
  import { createSender } from '@payments/webhooks/sender';
  const policy = createAddressPolicy(['127.0.0.0/8']);
  const sender = createSender({ policy, timeoutMs: 30_000 });
  const result = await sender.send({ url: '${url}', headers: {}, body: '{}' });
  await sender.close();
  console.log(JSON.stringify(result));
`;

t.test('proxies from the environment are not used', async (t) => {
  const proxy = await listen(t, always(answer(200, 'from the proxy')));
  const receiver = await listen(t, always(answer(200, 'from the receiver')));
  const names = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy'];
  const env = {
    ...process.env,
    ...Object.fromEntries(names.map((name) => [name, proxy.url])),
    NO_PROXY: '',
    no_proxy: '',
    NODE_USE_ENV_PROXY: '1',
  };
  const args = ['--conditions=public-payments', '--input-type=module', '--eval', script(receiver.url)];
  const { stdout } = await run(process.execPath, args, { env, cwd: import.meta.dirname });
  t.match(JSON.parse(stdout), { outcome: 'answered', responseExcerpt: 'from the receiver' });
  t.equal(proxy.connections.length, 0);
});
