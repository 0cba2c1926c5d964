import { createHmac, randomUUID } from 'node:crypto';

/** A webhook as a queue's job. */
export type Job = { id: string; url: string; secret: string; event: Record<string, unknown> };

/** @returns a job like the first event of a payment */
export function newJob(url: string): Job {
  const id = randomUUID();
  const event = {
    event: 'payment.created',
    id,
    status: 'pending',
    amount: 19.9,
    feeAmount: null,
    liquidValue: null,
    storeId: '01936f2e-0000-7000-8000-000000000000',
    createdAt: new Date().toISOString(),
    observation: 'Pedido 12345',
    email: 'cliente@example.com',
    qrCodeUrl: `http://127.0.0.1:3000/qr/${id}.png`,
    qrCopyPaste: '0'.repeat(180),
    isPublic: true,
  };
  return { id, url, secret: 'MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=', event };
}

export type Request = { url: string; headers: Record<string, string>; body: string };

/** Signs by Standard Webhooks, like the service. */
export function signed({ id, url, secret, event }: Job): Request {
  const body = JSON.stringify(event);
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const signature = createHmac('sha256', Buffer.from(secret, 'base64')).update(`${id}.${timestamp}.${body}`);
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature.digest('base64')}`,
  };
  return { url, headers, body };
}
