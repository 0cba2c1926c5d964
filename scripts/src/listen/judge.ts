import type { IncomingHttpHeaders } from 'node:http';
import { inspect } from 'node:util';
import { type PaymentEvent, verifyWebhook } from 'public-payments-client';

export type Judged = { ok: true; id: string; event: PaymentEvent } | { ok: false; reason: string };

/** Verifies a webhook as a store should: the raw body and the headers, with the stores' client. */
export async function judgeWebhook(
  secret: string,
  body: string,
  headers: IncomingHttpHeaders,
): Promise<Judged> {
  try {
    const { id, event } = await verifyWebhook({ secret, headers, body });
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
  const { event: name, status, amount } = event;
  const happened = event.event === 'payment.created' ? status : `${event.previousStatus} → ${status}`;
  const money = Number(amount).toLocaleString('pt-BR', { style: 'currency', currency: 'BRL' });
  const repeat = seen > 1 ? ` (the same again: ${seen})` : '';
  return `${name}  ${happened}  ${money}  payment ${event.id}  webhook-id ${id}${repeat}`;
}

/** @returns a formatted body */
export function describeBody(event: PaymentEvent): string {
  return inspect(event, { colors: process.stdout.isTTY, breakLength: 110 }).replace(/^/gm, '          ');
}
