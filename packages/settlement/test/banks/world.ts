import type { BankName } from '@payments/pix-simulator/banks/all';
import { settleCharge } from '../../src/pix/settle-charge.ts';
import { chargeOf, type Ending, openBench } from '../at-bank.ts';
import type { World } from './scenarios.ts';

/** The service with a bank's profile, at that bank simulated. */
export async function openWorld(t: Ending, psp: BankName, more: Record<string, string> = {}): Promise<World> {
  const env = { PIX_PSP: psp, PIX_APP_KEY: 'app-key', PIX_CALLS_PER_MINUTE: '1000000', ...more };
  const bank = { profile: psp, unlimited: true };
  const settle = async (bench: World['bench'], id: string) =>
    settleCharge(bench.context, id, await chargeOf(bench, id));
  const bench = await openBench(t, settle, env, bank);
  let offset = 0;
  return {
    psp,
    bench,
    timePasses: async (seconds) => {
      bench.advance(seconds);
      offset += seconds;
      await bench.system.bank('/bank/clock', {});
      await bench.system.bank('/bank/clock', { advanceSeconds: offset });
    },
  };
}
