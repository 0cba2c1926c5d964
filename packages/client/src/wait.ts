import { WaitTimeout } from './errors.ts';
import { pause } from './pause.ts';
import type { Payment, PaymentStatus } from './types.ts';

export type WaitOptions = {
  /** Which status ends the wait; by default a final one (see `isFinal`). */
  until?: (status: PaymentStatus) => boolean;
  /** 10 minutes by default. */
  timeoutMs?: number;
  /** 2 seconds by default; after a minute it grows to five times as much. */
  intervalMs?: number;
  signal?: AbortSignal;
};

/** @returns whether a payment waits neither for the customer nor for a review */
export function isFinal(status: PaymentStatus): boolean {
  return status !== 'pending' && status !== 'review';
}

/**
 * Polls a payment.
 * @throws WaitTimeout with the last read payment; the errors of reading
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
