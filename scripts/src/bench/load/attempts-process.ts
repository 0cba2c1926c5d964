import { randomUUID } from 'node:crypto';
import type { ClaimedDelivery } from '@payments/database/deliveries/claimed-delivery';
import { type DeliverOptions, deliver } from '@payments/dispatcher/deliveries/deliver';
import { hostBreakers } from '@payments/dispatcher/deliveries/hosts';
import { dispatcherMetrics } from '@payments/dispatcher/health/metrics';
import { newId } from '@payments/domain/identifiers';
import { createLogger } from '@payments/runtime/logging';
import { serviceMetrics } from '@payments/service/metrics';
import { createSender } from '@payments/webhooks/sender';
import { webhookPolicy } from '@payments/webhooks/settings';
import type { Command } from '../sides/sender.ts';

// What the dispatcher does with a claimed delivery, in a process of its own and without the ledger: it lies claimed in
// memory, and what came of it is told to nobody.
const concurrency = 256;
const breaker = { failuresToOpen: 20, openSeconds: 5, maxOpenSeconds: 60, probeSeconds: 60 };
const now = () => new Date();
const options: DeliverOptions = {
  sender: createSender({
    policy: webhookPolicy('127.0.0.0/8,::1/128').policy,
    connectionsPerOrigin: concurrency,
  }),
  recorder: { record: async () => true },
  hosts: hostBreakers(breaker, now),
  log: createLogger('dispatcher', 'info'),
  policy: { schedule: [5, 30, 120], breaker, now, random: Math.random },
  onAttempt: dispatcherMetrics(serviceMetrics(), 1_800).attempted,
  onTaken: () => {},
};
let ready: ClaimedDelivery[] = [];

process.on('message', async (command: Command) => {
  if (command.do === 'fill') ready = Array.from({ length: command.count }, claimedOf(command.urls));
  if (command.do === 'work') await attemptAll();
  process.send?.({ done: command.do });
});
process.send?.({ done: 'start' });

async function attemptAll(): Promise<void> {
  const waiting = ready.values();
  const worker = async () => {
    for (const delivery of waiting) await deliver(delivery, options);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}

const storeId = newId();
const secrets = ['whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE='];

const claimedOf =
  (urls: string[]) =>
  (_: unknown, index: number): ClaimedDelivery => {
    const [id, paymentId, url] = [newId(), newId(), urls[index % urls.length] ?? ''];
    const attempt = { attempt: 1, scheduledAttempt: 1, failures: 0, probe: false };
    const cause = { requestId: null, traceParent: null, previousStatus: null };
    const ids = { id, claimId: randomUUID(), paymentId, storeId, endpoint: url };
    return {
      ...ids,
      ...attempt,
      ...cause,
      sequence: 1,
      url,
      type: 'payment.created',
      payment,
      secrets,
    };
  };

// One for all, so that what lies in memory is as little as that of the other sides.
const payment = JSON.stringify({
  id: newId(),
  status: 'pending',
  amount: 19.9,
  feeAmount: null,
  liquidValue: null,
  storeId,
  createdAt: new Date().toISOString(),
  observation: 'Pedido 12345',
  email: 'cliente@example.com',
  qrCodeUrl: 'http://127.0.0.1:3000/qr/0193.png',
  qrCopyPaste: '0'.repeat(180),
  isPublic: true,
});
