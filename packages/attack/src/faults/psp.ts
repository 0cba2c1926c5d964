import { call } from '@payments/testing/http';
import type { Fault, Undo } from './fault.ts';

const onPsp = (name: string, lasts: Fault['lasts'], faults: Record<string, unknown>): Fault => ({
  name: `psp-${name}`,
  lasts,
  targets: ({ system }) =>
    system.banks.map(({ id, url }) => ({
      name: id,
      kind: 'simulator',
      hit: () => misbehave(url, faults),
    })),
});

/** Lets a bank misbehave until the end of the fault. */
export async function misbehave(url: string, faults: Record<string, unknown>): Promise<Undo> {
  const set = (body: Record<string, unknown>) => call(`${url}/bank/faults`, { body }).then(() => {});
  await set(faults);
  return () => set({});
}

export const pspFaults: Fault[] = [
  onPsp('silent', [3, 8], { dropCallbacks: true }),
  onPsp('repeating', [3, 8], { duplicateCallbacks: true, delayCallbacksMs: 50 }),
  onPsp('late', [3, 8], { delayCallbacksMs: 2_000 }),
  onPsp('batching', [3, 8], { batchCallbacksMs: 1_000 }),
  onPsp('errors', [2, 6], { status: 503 }),
  onPsp('hanging', [2, 5], { hang: true }),
  onPsp('disconnecting', [2, 5], { disconnect: true }),
  onPsp('slow', [3, 6], { latencyMs: 800 }),
  onPsp('loses-answers', [4, 8], { loseRefundAnswers: true, loseChargeAnswers: true }),
  onPsp('slow-refunds', [4, 8], { slowRefundsMs: 3_000 }),
  // Some last longer than the service orders a refused refund again by itself.
  onPsp('refuses-refunds', [4, 12], { refuseRefunds: true }),
  onPsp('no-codes', [3, 6], { omitPixCopiaECola: true }),
  // Its copies are behind, or one of them lacks something; callbacks and lists still tell the truth.
  onPsp('lags', [4, 10], { lagSeconds: 3 }),
  onPsp('hides-charges', [4, 8], { hide: ['charges'], only: ['getCob', 'patchCob'] }),
  onPsp('hides-pix', [4, 8], { hide: ['pix'], only: ['getCob'] }),
  onPsp('hides-refunds', [4, 10], { hide: ['refunds'], only: ['getCob', 'getDevolucao'] }),
  onPsp('tells-refunds-by-callback', [4, 10], { hide: ['refunds'] }),
  onPsp('odd-amounts', [4, 8], { oddAmounts: true }),
  onPsp('refunds-without-ids', [4, 8], { withoutRefundIds: true }),
  // Every process has tokens of its own, and each new one ends the others'.
  onPsp('one-token', [5, 10], { oneTokenPerClient: true }),
];
