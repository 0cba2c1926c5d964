import type { Bank } from '@payments/pix/banks';
import { readCallback } from '@payments/pix/callback';
import type { PixEntries } from '@payments/pix/client';
import { isSameKey } from '@payments/pix/keys';
import { atBankOf, type BankContext } from '@payments/settlement/context';
import { toldOf } from '@payments/settlement/on-record';
import { carryOutRefunds } from '@payments/settlement/refund';
import type { Settled } from '@payments/settlement/settle-charge';
import { settleTold } from '@payments/settlement/settle-told';
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { atMost } from '../at-most.ts';
import { isSecret } from '../authentication/secret-check.ts';
import type { ApiContext } from '../context.ts';
import { errors } from '../errors/errors.ts';

// Callbacks share database connections with stores' requests. This limit leaves connections for the stores.
const settling = { running: 32, waiting: 500 };
const refunding = { running: 8, waiting: 500 };
// Enough for over two hundred Pix with every field of API Pix. Reconciliation finds what a larger body reports.
const bodyLimitBytes = 128 * 1_024;

/**
 * The banks' callbacks, each at an address of its own. A callback only says which charges to look at: each is read from the bank before anything is believed. It
 * is answered 200 after the commit. The bank may repeat what was not answered so; the scans find what it does not repeat.
 * Banks also try the address, with an empty body or with a word of their own: what names no Pix is answered 200.
 */
export async function pixCallback(app: FastifyInstance, { context }: { context: ApiContext }): Promise<void> {
  const settle = atMost(settling);
  const refund = refundsAtMost();
  // This check runs before the body is parsed, so that a stranger costs no parsing.
  const bankOf = ({ params }: FastifyRequest): Bank => {
    const { secret } = params as { secret: string };
    const bank = context.banks
      .all()
      .find((one) => context.adminKeys.some((key) => isSecret(secret, one.callbackSecret(key))));
    if (!bank) throw errors.routeNotFound();
    return bank;
  };
  const onRequest = async (request: FastifyRequest) => void bankOf(request);
  const options = { schema: { hide: true }, bodyLimit: bodyLimitBytes, onRequest };
  const handler = async (request: FastifyRequest, reply: FastifyReply) => {
    const here = atBankOf(context, bankOf(request).id);
    const told = toldOf(ofKey(here.pix.key, readCallback(request.body)));
    if (told.length === 0) return reply.code(200).send();
    const onSettled = (settled: Settled) => refund(here, settled, request.log);
    const settled = settle(() => settleTold(here, told, { requestId: request.id, onSettled }));
    if (!settled) throw errors.unavailable();
    await settled;
    return reply.code(200).send();
  };
  app.addContentTypeParser('*', { parseAs: 'string' }, parseAnything);
  app.post('/pix-callback/:secret', options, handler);
  app.post('/pix-callback/:secret/pix', options, handler);
}

/** An account may have several keys; what came for another is not ours. */
function ofKey(own: string, { pix, unreadable }: PixEntries): PixEntries {
  const isOurs = ({ key }: { key: string | null }) => isSameKey(own, key);
  return { pix: pix.filter(isOurs), unreadable: unreadable.filter(isOurs) };
}

/** Banks name other types for their JSON, and for no body at all. */
async function parseAnything(_request: unknown, body: string | Buffer): Promise<unknown> {
  const text = body.toString();
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw errors.invalidJson();
  }
}

/**
 * Starts only the refunds that these Pix caused. Each refund causes a callback: a callback that started other due
 * refunds would set off a chain.
 */
function refundsAtMost() {
  const begin = atMost(refunding);
  return (context: BankContext, { payment, refunds }: Settled, log: FastifyBaseLogger): void => {
    if (refunds === 0) return;
    const carryOut = () => carryOutRefunds(context, { limit: refunds, paymentId: payment.id });
    begin(carryOut)?.catch((error: unknown) => log.warn({ err: error }, 'refunds are left to the scan'));
  };
}
