import type { OpenBanks } from '@payments/pix/banks';
import type { Loop } from '@payments/runtime/loop';

/** Runs scans for each configured bank, and follows when banks come and go. */
export function startPerBank(banks: OpenBanks, start: (bank: string) => readonly Loop[]): Pick<Loop, 'stop'> {
  const running = new Map<string, readonly Loop[]>();
  const ending: Promise<void>[] = [];
  let stopped = false;
  const end = (bank: string, scans: readonly Loop[]) => {
    running.delete(bank);
    ending.push(...scans.map((scan) => scan.stop()));
  };
  const follow = () => {
    if (stopped) return;
    for (const [bank, scans] of running) if (!banks.find(bank)) end(bank, scans);
    for (const { id } of banks.all()) if (!running.has(id)) running.set(id, start(id));
  };
  follow();
  banks.onReplaced(follow);
  return {
    stop: async () => {
      stopped = true;
      for (const [bank, scans] of running) end(bank, scans);
      await Promise.all(ending);
    },
  };
}
