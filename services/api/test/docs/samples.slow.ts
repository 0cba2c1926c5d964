import { spawn, spawnSync } from 'node:child_process';
import { createSecretKey } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findExecutable } from '@payments/local-servers/executable';
import { freePort } from '@payments/local-servers/free-port';
import { type Received, startReceiver } from '@payments/testing/receiver';
import { startSystem } from '@payments/testing/system';
import { signatureHeaders, signingKey } from '@payments/webhooks/signature';
import t from 'tap';
import { verifyWebhook } from '../../docs/verify/verify.ts';

/** The guide's sample files, run against deliveries of a running service. */
type Webhook = { secret: string; headers: Record<string, string>; body: string };
/** The reason of a refusal; undefined for an accepted webhook. */
type Verify = (webhook: Webhook) => string | undefined;

const folder = join(import.meta.dirname, '../../docs/verify');
const python = `import json, sys
sys.path.insert(0, sys.argv[1])
from verify import verify_webhook
webhook = json.load(sys.stdin)
print(json.dumps(verify_webhook(webhook["secret"], webhook["headers"], webhook["body"].encode())))`;
const php = `require $argv[1] . '/verify.php';
$webhook = json_decode(file_get_contents('php://stdin'), true);
echo json_encode(verify_webhook($webhook['secret'], $webhook['headers'], $webhook['body']));`;

const samples: { name: string; program?: string; verify: Verify }[] = [
  { name: 'TypeScript', verify: inTypeScript },
  { name: 'Python', program: 'python3', verify: ran('python3', ['-c', python, folder]) },
  { name: 'PHP', program: 'php', verify: ran('php', ['-r', php, '--', folder]) },
  { name: 'shell', program: 'openssl', verify: inShell },
];

function inTypeScript({ secret, headers, body }: Webhook): string | undefined {
  try {
    const event = verifyWebhook(secret, headers, body);
    return JSON.stringify(event) === JSON.stringify(JSON.parse(body)) ? undefined : 'another event';
  } catch (error) {
    return (error as Error).message;
  }
}

function ran(program: string, args: string[]): Verify {
  return (webhook) => {
    const { status, stdout, stderr } = spawnSync(program, args, {
      input: JSON.stringify(webhook),
      encoding: 'utf8',
      env: { PATH: process.env.PATH, PYTHONDONTWRITEBYTECODE: '1' },
    });
    if (status !== 0) return stdout + stderr;
    return JSON.parse(stdout).id === JSON.parse(webhook.body).id ? undefined : 'another event';
  };
}

function inShell({ secret, headers, body }: Webhook): string | undefined {
  const own = mkdtempSync(join(tmpdir(), 'payments-sample-'));
  const file = join(own, 'body.json');
  writeFileSync(file, body);
  const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
  const args = [join(folder, 'verify.sh'), ...names.map((name) => headers[name] ?? ''), file];
  const env = { PATH: process.env.PATH, WEBHOOK_SECRET: secret };
  const { status, stderr } = spawnSync('sh', args, { encoding: 'utf8', env });
  rmSync(own, { recursive: true });
  return status === 0 ? undefined : stderr;
}

const system = await startSystem();
const receiver = await startReceiver();
t.teardown(async () => {
  await receiver.close();
  await system.stop();
});
const store = await system.createStore();
const secretPath = `/admin/stores/${store.id}/webhook-secret`;
const secretOf = async (): Promise<string> => (await system.admin(secretPath)).body.secret;
const asWebhook = ({ headers, body }: Received, secret: string): Webhook => ({
  secret,
  headers: headers as Record<string, string>,
  body,
});

/** Creates a payment and waits for its webhook. */
async function delivery(): Promise<Received> {
  const { body } = await system.api('/api-public/payments', {
    token: store.token,
    // The text is not ASCII, since the signature covers bytes.
    body: { amount: 19.9, observation: 'Açaí 🍇', webhookUrl: receiver.url },
  });
  return receiver.waitFor((request) => request.body.includes(body.id));
}

const secret = await secretOf();
const sent = asWebhook(await delivery(), secret);
await system.admin(`${secretPath}/rotate`, { method: 'POST' });
const newSecret = await secretOf();
const sentInRotation = await delivery();
const longAgo = new Date(Date.now() - 10 * 60_000);
const id = sent.headers['webhook-id'] ?? '';
const old = {
  ...sent,
  headers: signatureHeaders({ id, timestamp: longAgo, body: sent.body, keys: [signingKey(secret)] }),
};
const early = {
  ...sent,
  headers: signatureHeaders({
    id,
    timestamp: new Date(Date.now() + 10 * 60_000),
    body: sent.body,
    keys: [signingKey(secret)],
  }),
};

/** What anybody can sign, where a receiver has no secret. */
const forged = {
  ...sent,
  headers: signatureHeaders({
    id,
    timestamp: new Date(),
    body: sent.body,
    keys: [createSecretKey(Buffer.alloc(0))],
  }),
};

for (const { name, program, verify } of samples) {
  const skip = program !== undefined && !findExecutable(program) && `no ${program} on this machine`;
  t.test(`the sample in ${name}`, { skip }, async (t) => {
    t.equal(verify(sent), undefined, 'accepts what the service sends');
    t.equal(verify(asWebhook(sentInRotation, secret)), undefined, 'accepts by the old secret in a rotation');
    t.equal(verify(asWebhook(sentInRotation, newSecret)), undefined, 'and by the new one');
    t.match(sentInRotation.headers['webhook-signature'], /^v1,\S+ v1,\S+$/, 'which are two signatures');

    const wrong = /signature is wrong/;
    const changed = { ...sent, body: sent.body.replace('19.9', '9.9') };
    t.match(verify(changed), wrong, 'refuses a body that was changed');
    t.match(verify({ ...sent, secret: newSecret }), wrong, 'refuses the signature of another secret');
    const renamed = { ...sent, headers: { ...sent.headers, 'webhook-id': 'another' } };
    t.match(verify(renamed), wrong, 'refuses another id');
    t.match(verify({ ...sent, headers: { ...sent.headers, 'webhook-signature': 'v1,' } }), wrong);
    t.match(verify(old), /too old/, 'refuses what is ten minutes old, well signed as it is');
    t.match(verify(early), /too old/, 'and what is of ten minutes from now');
    for (const none of ['', 'whsec_'])
      t.match(verify({ ...forged, secret: none }), /secret is missing/, 'refuses all without a secret');
    t.match(verify({ ...sent, headers: {} }), /timestamp is missing/, 'refuses what has no headers');
  });
}

t.test('the receiver outlives a request that breaks off', async (t) => {
  const port = await freePort();
  const env = { PATH: process.env.PATH, PORT: String(port), WEBHOOK_SECRET: newSecret };
  const receiver = spawn(process.execPath, [join(folder, 'receive.mjs')], { env });
  t.teardown(() => receiver.kill());
  let printed = '';
  for (const stream of [receiver.stdout, receiver.stderr]) stream.on('data', (chunk) => (printed += chunk));
  const ended = once(receiver, 'exit');
  const prints = async (line: string) => {
    while (!printed.includes(line)) {
      await Promise.race([once(receiver.stdout, 'data'), ended]);
      if (receiver.exitCode !== null) throw new Error(`it ended: ${printed}`);
    }
  };
  await prints('Listening');
  const socket = connect(port, '127.0.0.1');
  socket.write('POST / HTTP/1.1\r\nHost: store\r\nContent-Length: 10\r\n\r\n{', () => socket.destroy());
  await prints('aborted');
  const { headers, body } = asWebhook(sentInRotation, newSecret);
  const { status } = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body });
  t.equal(status, 200);
});
