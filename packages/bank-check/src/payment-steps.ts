import { CheckFailed } from './failure.ts';
import { inWords, paidBy } from './paid.ts';
import type { State, Step } from './state.ts';
import { untilDone } from './until-done.ts';

/** With `--pay`: a real Pix of one centavo arrives. */
export const paidStep: Step = {
  name: 'paid',
  advice: 'Pay the code with a bank’s app within the time.',
  run: async (state) => {
    const { charge, pay, print } = state;
    if (!pay || !charge?.code) return null;
    print(`  Pay this code now, with any bank's app:\n  ${charge.code}`);
    state.paid = await arrival(state, charge.txid);
    if (state.paid) return inWords(state.paid);
    throw new CheckFailed(
      state.signal.aborted ? 'the check was ended' : 'nothing came in time',
      'Pay the code with a bank’s app within the time.',
    );
  },
};

function arrival({ client, payWithinMs, signal }: State, txid: string) {
  return untilDone({ withinMs: payWithinMs, signal }, async () => paidBy(await client.getCharge(txid)));
}
