import { setTimeout as delay } from 'node:timers/promises';
import { CheckFailed } from './failure.ts';
import type { State, Step } from './state.ts';

const askEveryMs = 2_000;

/** With `--pay`: a real Pix of one centavo, there and back. */
export const paymentSteps: Step[] = [
  {
    name: 'paid',
    advice: 'Pay the code with a bank’s app within the time.',
    run: async (state) => {
      const { charge, pay, print } = state;
      if (!pay || !charge?.code) return null;
      print(`  Pay this code now, with any bank's app:\n  ${charge.code}`);
      const received = await awaited(state, async () => (await state.client.getCharge(charge.txid))?.pix[0]);
      if (!received) {
        await state.client.cancelCharge(charge.txid).catch(() => null);
        throw new CheckFailed('nothing came in time', 'Pay the code with a bank’s app within the time.');
      }
      state.paid = { endToEndId: received.endToEndId, amount: received.amount };
      return `R$ ${(received.amount / 100).toFixed(2).replace('.', ',')} as ${received.endToEndId}`;
    },
  },
  {
    name: 'given back',
    advice: 'The scope pix.write may be missing. Give the centavo back in the bank’s app.',
    run: async (state) => {
      const { paid, client } = state;
      if (!paid) return null;
      const id = state.charge?.txid.slice(0, 32) ?? '';
      await client.requestRefund(paid.endToEndId, id, paid.amount);
      const done = await awaited(state, async () => {
        const refund = await client.getRefund(paid.endToEndId, id);
        return refund && refund.status !== 'EM_PROCESSAMENTO' ? refund : undefined;
      });
      if (done?.status !== 'DEVOLVIDO')
        throw new CheckFailed(
          `${done?.status ?? 'still under way'}: ${done?.reason ?? ''}`,
          'Ask the bank’s support.',
        );
      return 'DEVOLVIDO';
    },
  },
];

async function awaited<T>(
  { payWithinMs }: State,
  look: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const endsAt = performance.now() + payWithinMs;
  for (;;) {
    const found = await look();
    if (found !== undefined || performance.now() > endsAt) return found;
    await delay(Math.min(askEveryMs, payWithinMs / 10));
  }
}
