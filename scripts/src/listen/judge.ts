import type { IncomingHttpHeaders } from 'node:http';
import { inspect } from 'node:util';
import { Webhook } from 'standardwebhooks';

export type Judged = { ok: true; id: string; event: PaymentWebhook } | { ok: false; reason: string };

/** What a webhook says (spec 6), as far as it is printed. */
export type PaymentWebhook = {
  event: string;
  id: string;
  status: string;
  previousStatus?: string;
  amount: number;
};

/** Verifies a webhook as a store should: the raw body, the headers, the public library. */
export function judgeWebhook(secret: string, body: string, headers: IncomingHttpHeaders): Judged {
  try {
    const event = new Webhook(secret).verify(body, headers as Record<string, string>) as PaymentWebhook;
    return { ok: true, id: String(headers['webhook-id']), event };
  } catch (error) {
    return { ok: false, reason: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * @param seen how often this webhook-id has come, this time included
 * @returns a webhook as a line: what happened to which payment, and whether it is a repeat
 */
export function describeWebhook({ id, event }: Judged & { ok: true }, seen: number): string {
  const { event: name, status, previousStatus, amount } = event;
  const happened = previousStatus ? `${previousStatus} → ${status}` : status;
  const money = Number(amount).toLocaleString('pt-BR', { style: 'currency', currency: 'BRL' });
  const repeat = seen > 1 ? ` (the same again: ${seen})` : '';
  return `${name}  ${happened}  ${money}  payment ${event.id}  webhook-id ${id}${repeat}`;
}

/** @returns a body in lines that are easy on the eye */
export function describeBody(event: PaymentWebhook): string {
  return inspect(event, { colors: process.stdout.isTTY, breakLength: 110 }).replace(/^/gm, '          ');
}
