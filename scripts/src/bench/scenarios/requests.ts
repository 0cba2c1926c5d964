import type { LoadJob } from '../load/job.ts';
import type { BenchStore } from '../stores.ts';

/** The creation that is measured: with what a store usually sends, and no webhook. */
export function creationJob(origin: string, { token }: BenchStore, webhookUrls: string[] = []) {
  const order = { amount: 19.9, email: 'cliente@example.com', observation: 'Pedido 12345' };
  const bodies = webhookUrls.map((webhookUrl) => JSON.stringify({ ...order, webhookUrl }));
  return {
    origin,
    method: 'POST' as const,
    paths: ['/api-public/payments'],
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    bodies: bodies.length > 0 ? bodies : [JSON.stringify(order)],
  } satisfies Partial<LoadJob>;
}

/** Reads of these paths below `/api-public/payments`, in turn. */
export function readJob(origin: string, { token }: BenchStore, paths: string[]) {
  return {
    origin,
    method: 'GET' as const,
    paths: paths.map((path) => `/api-public/payments${path}`),
    headers: { authorization: `Bearer ${token}` },
    bodies: [],
  } satisfies Partial<LoadJob>;
}
