import type { IncomingHttpHeaders } from 'node:http';
import { inspect } from 'node:util';
import { type StoreEvent, verifyWebhook } from 'public-payments-client';

export type Judged = { ok: true; id: string; event: StoreEvent } | { ok: false; reason: string };

/** Verifies a webhook as a store should: the raw body and the headers, with the stores' client. */
export async function judgeWebhook(
  secret: string,
  body: string,
  headers: IncomingHttpHeaders,
): Promise<Judged> {
  try {
    const { id, event } = await verifyWebhook<StoreEvent>({ secret, headers, body });
    return { ok: true, id, event };
  } catch (error) {
    return { ok: false, reason: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * @param seen how often this webhook-id has come, including this time
 * @returns a line that describes a webhook: the event, the payment, and whether it is a repeat
 */
export function describeWebhook({ id, event }: Judged & { ok: true }, seen: number): string {
  const { id: paymentId, amount, happened } = inWords(event);
  const money = Number(amount).toLocaleString('pt-BR', { style: 'currency', currency: 'BRL' });
  const repeat = seen > 1 ? ` (the same again: ${seen})` : '';
  return `${event.event}  ${happened}  ${money}  payment ${paymentId}  webhook-id ${id}${repeat}`;
}

function inWords(event: StoreEvent): { id: string; amount: number; happened: string } {
  if (event.event === 'refund.updated') {
    const { paymentId: id, amount, status } = event.refund;
    return { id, amount, happened: `refund ${status}` };
  }
  const { id, amount, status } = event;
  const isMove = event.event === 'payment.status_changed';
  return { id, amount, happened: isMove ? `${event.previousStatus} → ${status}` : status };
}

/** @returns a formatted body */
export function describeBody(event: StoreEvent): string {
  return inspect(event, { colors: process.stdout.isTTY, breakLength: 110 }).replace(/^/gm, '          ');
}
