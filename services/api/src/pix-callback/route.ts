import { readCallback } from '@payments/pix/callback';
import { settleTxids } from '@payments/settlement/reconcile';
import { carryOutRefunds } from '@payments/settlement/refund';
import type { Settled } from '@payments/settlement/settle-charge';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { secretCheck } from '../authentication/secret-check.ts';
import type { ApiContext } from '../context.ts';
import { errors } from '../errors/errors.ts';
import { atMost } from './at-most.ts';

// They share the connections with stores' requests, which wait behind no more than these. Most of their time is the PSP's.
const settling = { running: 32, waiting: 500 };
const refunding = { running: 8, waiting: 500 };

/** The path that the PSP is told; it adds `/pix` itself (API Pix 2.9, `PUT /webhook/{chave}`). */
export function callbackPath(secret: string): string {
  return `/pix-callback/${secret}`;
}

/**
 * The PSP's callback. It is a trigger only: which charges it names is all that is taken from it, and each is read
 * from the PSP before anything is believed. Answered 200 after the commit. What is not, also where a flood is turned
 * away, may come again, as the PSP likes; if it does not, the scans find it.
 */
export async function pixCallback(app: FastifyInstance, { context }: { context: ApiContext }): Promise<void> {
  const isOurSecret = secretCheck(context.callbackSecret);
  const settle = atMost(settling);
  const refund = refundsAtMost(context);
  const options = { schema: { hide: true } };
  app.post<{ Params: { secret: string } }>('/pix-callback/:secret/pix', options, async (request, reply) => {
    if (!isOurSecret(request.params.secret)) throw errors.routeNotFound();
    const named = readCallback(request.body).filter((pix) => pix.key === null || pix.key === context.pix.key);
    const txids = named.map((pix) => pix.txid);
    const onSettled = (settled: Settled) => refund(settled, request.log);
    const settled = settle(() => settleTxids(context, txids, { requestId: request.id, onSettled }));
    if (!settled) throw errors.unavailable();
    await settled;
    return reply.code(200).send();
  });
}

/**
 * Begins at once with the refunds that a Pix led to, and with no others: each refund brings a callback, so callbacks
 * that took up what else is due would set off one another.
 */
function refundsAtMost(context: ApiContext) {
  const begin = atMost(refunding);
  return ({ payment, refunds }: Settled, log: FastifyBaseLogger): void => {
    if (refunds === 0) return;
    const carryOut = () => carryOutRefunds(context, { limit: refunds, paymentId: payment.id });
    begin(carryOut)?.catch((error: unknown) => log.warn({ err: error }, 'refunds are left to the scan'));
  };
}
