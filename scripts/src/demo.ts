import { mkdirSync } from 'node:fs';
import { inspect } from 'node:util';
import { callJson } from '@payments/testing/json-client';
import { type Received, startReceiver } from '@payments/testing/receiver';
import { createClient, verifyWebhook } from 'public-payments-client';
import QRCode from 'qrcode';
import { demoStore, reviewMail } from './demo-store.ts';
import { payAtBank } from './pay-at-bank.ts';
import { readBankUrls } from './simulated-banks.ts';
import { readStartSettings } from './start-settings.ts';

/** `npm run demo`: takes one payment from its creation to `approved`, step by step, against a running `npm start`. */
const settings = readStartSettings(process.env, process.cwd());
const at = (port: number) => `http://localhost:${port}`;
const api = at(settings.ports.API_PORT);
const admin = at(settings.ports.ADMIN_PORT);
const patienceMs = 20_000;
let number = 0;

try {
  await demo();
} catch (error) {
  const reason = error instanceof Error ? error.message : String(error);
  console.error(number === 0 ? reason : `\nstep ${number} failed: ${reason}`);
  process.exitCode = 1;
}

async function demo() {
  await assertRunning();
  const banks = readBankUrls(settings.dataDir);
  if (banks.length === 0)
    throw new Error('npm start charges at other banks: the demo pays at simulated ones');
  mkdirSync(settings.dataDir, { recursive: true });
  const { adminKey, dataDir } = settings;
  const { storeId, token } = await demoStore({ dataDir, apiUrl: api, adminUrl: admin, adminKey });
  const { secret } = await callJson<{ secret: string }>(
    `${admin}/admin/stores/${storeId}/webhook-secret`,
    adminKey,
  );
  const receiver = await startReceiver();
  try {
    step('The store starts a webhook receiver', receiver.url);
    const request = { amount: 19.9, observation: 'Demonstração', webhookUrl: receiver.url };
    step('It creates a payment: POST /api-public/payments', request);
    const payments = createClient({ baseUrl: api, token });
    const payment = await payments.create(request);
    show('answer', payment);
    if (payment.qrCopyPaste === null)
      throw new Error('the bank has not registered the charge: no code to pay');

    step('The webhook payment.created arrives');
    await webhook('payment.created', payment.id, receiver, secret);

    step(`The customer sees the QR code, also at ${api}/pay/${payment.id}`);
    console.log(await drawn(payment.qrCopyPaste));

    step('The customer pays it: POST /bank/pay at the simulator', { pixCopiaECola: payment.qrCopyPaste });
    show('answer', await payAtBank(banks, payment.qrCopyPaste));

    step('The bank confirms; the webhook payment.status_changed arrives');
    await webhook('payment.status_changed', payment.id, receiver, secret);

    step(`The store reads the payment: GET /api-public/payments/${payment.id}`);
    const final = await payments.get(payment.id);
    show('answer', final);
    if (final.status !== 'approved') throw new Error(`the status is ${final.status}, not approved`);
    console.log('\nThe payment is approved.');
    await review(payments, banks, receiver, secret);
  } finally {
    await receiver.close();
  }
}

/** A wrong amount waits for a person, who gets a mail. */
async function review(
  payments: ReturnType<typeof createClient>,
  banks: string[],
  receiver: Receiver,
  secret: string,
) {
  const { MAILBOX_PORT } = settings.ports;
  if (MAILBOX_PORT === undefined) return;
  const payment = await payments.create({ amount: 19.9, webhookUrl: receiver.url });
  if (payment.qrCopyPaste === null) throw new Error('the bank has not registered the charge: no code to pay');
  step('Another customer pays R$ 15,00 of R$ 19,90: a person must decide');
  await payAtBank(banks, payment.qrCopyPaste, { valor: '15.00' });
  await webhook('payment.status_changed', payment.id, receiver, secret);

  step(`The people who decide get a mail, also at ${at(MAILBOX_PORT)}`);
  const mail = await reviewMail(at(MAILBOX_PORT), payment.id, patienceMs);
  show(mail.to, `${mail.subject}\n${mail.text}`);

  step(`One of them approves it: POST /admin/payments/${payment.id}/status`, { status: 'approved' });
  await callJson(`${admin}/admin/payments/${payment.id}/status`, settings.adminKey, { status: 'approved' });
  const final = await payments.get(payment.id);
  show('answer', final);
}

async function assertRunning() {
  const answer = await fetch(`${api}/health/ready`, { signal: AbortSignal.timeout(5000) }).catch(
    () => undefined,
  );
  if (answer === undefined)
    throw new Error(`nothing answers at ${api}: run npm start in another terminal first`);
  if (!answer.ok) throw new Error(`the API at ${api} is not ready: it answers ${answer.status}`);
}

type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** Waits for an event of a payment, verifies its signature, and prints it. */
async function webhook(event: string, paymentId: string, receiver: Receiver, secret: string) {
  const isIt = ({ body }: Received) => body.includes(`"${event}"`) && body.includes(paymentId);
  const request = await receiver.waitFor(isIt, patienceMs).catch(async () => {
    throw new Error(`no webhook within ${patienceMs / 1000} s; ${await deliveriesOf(paymentId)}`);
  });
  const { event: verified } = await verifyWebhook({ secret, headers: request.headers, body: request.body });
  const {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signature,
  } = request.headers;
  show('headers', { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature });
  show('body', verified);
  console.log('   the signature is right');
}

async function deliveriesOf(paymentId: string): Promise<string> {
  type Delivery = { event: string; state: string; attempts: number; lastError: string | null };
  const url = `${admin}/admin/deliveries?paymentId=${paymentId}`;
  const { items } = await callJson<{ items: Delivery[] }>(url, settings.adminKey);
  const told = items.map(
    (d) => `${d.event} is ${d.state} after ${d.attempts} attempts (${d.lastError ?? 'no error'})`,
  );
  return told.join('; ') || 'the dispatcher has not seen the event yet';
}

/** On a terminal in its colours, so that it is dark on light in any theme. */
function drawn(code: string): Promise<string> {
  return QRCode.toString(code, { type: process.stdout.isTTY ? 'terminal' : 'utf8', small: true });
}

function step(title: string, details?: unknown) {
  number += 1;
  console.log(`\n${number}. ${title}`);
  if (details !== undefined) show(undefined, details);
}

function show(name: string | undefined, value: unknown) {
  const text =
    typeof value === 'string' ? value : inspect(value, { colors: process.stdout.isTTY, breakLength: 110 });
  console.log(`${name ? `${name}: ` : ''}${text}`.replace(/^/gm, '   '));
}
