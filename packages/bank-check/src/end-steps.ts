import type { Charge, Refund } from '@payments/pix/client';
import { CheckFailed, untilDone } from './failure.ts';
import { inWords, type Paid, paidBy, type State, type Step } from './state.ts';

/** Run however the check ended: an unpaid charge is removed, and a Pix is given back. */
export const endSteps: Step[] = [
  {
    name: 'charge removed',
    advice:
      'Don’t pay the charge: remove it in the bank’s app, or wait an hour for its end. The scope cob.write may be missing.',
    run: async (state) => {
      const { openTxid, paid, endWithinMs } = state;
      if (!openTxid || paid) return null;
      const charge = await untilDone({ withinMs: endWithinMs }, () => removed(state, openTxid));
      if (charge === undefined)
        throw new CheckFailed('it was paid, and no Pix is shown', 'Give the centavo back in the bank’s app.');
      state.paid = paidBy(charge);
      return state.paid
        ? `it was paid: ${inWords(state.paid)}`
        : (charge?.status ?? 'the bank does not have it');
    },
  },
  {
    name: 'given back',
    advice: 'The scope pix.write may be missing. Give the centavo back in the bank’s app.',
    run: async (state) => {
      const { paid, endWithinMs } = state;
      if (!paid) return null;
      const done = await untilDone({ withinMs: endWithinMs }, refundOf(state, paid));
      if (done?.status !== 'DEVOLVIDO')
        throw new CheckFailed(
          `${done?.status ?? 'still under way'}: ${done?.reason ?? ''}`,
          'Ask the bank’s support.',
        );
      return 'DEVOLVIDO';
    },
  },
];

/** @returns the charge once it can't be paid any more; null if the bank has none; undefined if it is paid but shows no Pix yet */
async function removed(state: State, txid: string): Promise<Charge | null | undefined> {
  const charge = await removedOrPaid(state, txid);
  return charge?.status === 'CONCLUIDA' && !paidBy(charge) ? undefined : charge;
}

async function removedOrPaid({ client }: State, txid: string): Promise<Charge | null> {
  const charge = await client.getCharge(txid);
  if (charge?.status !== 'ATIVA') return charge;
  return client.cancelCharge(txid).catch(async (error: unknown) => {
    // The charge was removed and the answer got lost, or it was paid just now.
    const now = await client.getCharge(txid);
    if (now?.status === 'ATIVA') throw error;
    return now;
  });
}

/** The bank is asked after a refund before it is ordered again. Its id stays the same. */
function refundOf({ client, openTxid = '' }: State, { endToEndId, amount }: Paid) {
  const id = openTxid.slice(0, 32);
  let isOrdered = false;
  return async (): Promise<Refund | undefined> => {
    const known = isOrdered ? await client.getRefund(endToEndId, id) : null;
    isOrdered = true;
    const refund = known ?? (await client.requestRefund(endToEndId, id, amount));
    return refund.status === 'EM_PROCESSAMENTO' ? undefined : refund;
  };
}
