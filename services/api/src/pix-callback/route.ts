import { createHash, timingSafeEqual } from 'node:crypto';
import { readCallback } from '@payments/pix/callback';
import { settleTxids } from '@payments/settlement/reconcile';
import { carryOutRefunds } from '@payments/settlement/refund';
import type { Settled } from '@payments/settlement/settle-charge';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { ApiContext } from '../context.ts';
import { errors } from '../errors/errors.ts';
import { atMost } from './at-most.ts';

const bodyLimitBytes = 1_024 * 1_024;
// They share connections with the stores' requests, which come first; what waits is settled within a PSP's patience.
const bounds = { running: 32, waiting: 1_000 };

/** The path that the PSP is told; it adds `/pix` itself (API Pix 2.9, `PUT /webhook/{chave}`). */
export function callbackPath(secret: string): string {
  return `/pix-callback/${secret}`;
}

/**
 * The PSP's callback. It is a trigger only: which charges it names is all that is taken from it, and each is read
 * from the PSP before anything is believed. Answered 200 after the commit; otherwise the PSP tries again, also where a
 * flood of them is turned away.
 */
export async function pixCallback(app: FastifyInstance, { context }: { context: ApiContext }): Promise<void> {
  const expected = digest(context.callbackSecret);
  const bounded = atMost(bounds);
  const options = { bodyLimit: bodyLimitBytes, schema: { hide: true } };
  app.post<{ Params: { secret: string } }>('/pix-callback/:secret/pix', options, async (request, reply) => {
    if (!timingSafeEqual(digest(request.params.secret), expected)) throw errors.routeNotFound();
    const named = readCallback(request.body).filter((pix) => pix.key === null || pix.key === context.pix.key);
    const txids = named.map((pix) => pix.txid);
    const onSettled = (settled: Settled) => refund(context, settled, request.log);
    const settling = bounded(() => settleTxids(context, txids, { requestId: request.id, onSettled }));
    if (!settling) throw errors.unavailable();
    await settling;
    return reply.code(200).send();
  });
}

/**
 * Begins at once with the refunds that a Pix led to, and with no others: each refund brings a callback, so callbacks
 * that took up what else is due would set off one another.
 */
function refund(context: ApiContext, { payment, refunds }: Settled, log: FastifyBaseLogger): void {
  if (refunds === 0) return;
  carryOutRefunds(context, { limit: refunds, paymentId: payment.id }).catch((error: unknown) =>
    log.warn({ err: error }, 'refunds are left to the scan'),
  );
}

function digest(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
