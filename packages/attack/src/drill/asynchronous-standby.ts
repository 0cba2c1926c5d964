import { startTestPair } from '@payments/testing/postgres-pair';
import { startMovableBacking } from './movable-backing.ts';
import type { Recoverable } from './recoverable.ts';

/** Starts a primary and its asynchronous standby, which falls behind and is promoted, behind an address that moves. */
export async function startAsynchronousStandby(dir: string): Promise<Recoverable> {
  const pair = await startTestPair();
  const { backing, moveTo } = await startMovableBacking(dir, pair.primary.url, pair.remove);
  return {
    prepare: pair.becomeAsynchronous,
    moment: pair.stopReplication,
    lose: () => pair.primary.kill(),
    recover: async () => {
      await pair.promote();
      moveTo(pair.standby.url);
      return pair.standby.url;
    },
    backing,
  };
}
