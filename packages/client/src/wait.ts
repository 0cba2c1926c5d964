import { WaitTimeout } from './errors.ts';
import { pause } from './pause.ts';
import type { Payment, PaymentStatus } from './types.ts';

export type WaitOptions = {
  /** Which statuses are waited for: by default those that the customer's paying, or not paying, ends with. */
  until?: (status: PaymentStatus) => boolean;
  /** 10 minutes. */
  timeoutMs?: number;
  /** 2 seconds; after a minute, up to five times as much. */
  intervalMs?: number;
  signal?: AbortSignal;
};

/** @returns whether a payment waits for nobody any more: neither for the customer nor for a review */
export function isFinal(status: PaymentStatus): boolean {
  return status !== 'pending' && status !== 'review';
}

/**
 * Reads a payment again and again.
 * @throws WaitTimeout with the payment as last read; whatever reading throws
 */
export async function wait(read: () => Promise<Payment>, options: WaitOptions): Promise<Payment> {
  const { until = isFinal, timeoutMs = 600_000, intervalMs = 2_000, signal } = options;
  const begun = Date.now();
  for (;;) {
    const payment = await read();
    if (until(payment.status)) return payment;
    const elapsed = Date.now() - begun;
    if (elapsed >= timeoutMs) {
      throw new WaitTimeout(`the payment is still ${payment.status} after ${timeoutMs} ms`, payment);
    }
    const patience = Math.min(5, 1 + Math.floor(elapsed / 60_000));
    await pause(Math.min(intervalMs * patience, timeoutMs - elapsed), signal);
  }
}
