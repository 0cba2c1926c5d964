import type { OpenBanks } from '@payments/pix/banks';
import type { Loop } from '@payments/runtime/loop';

/** The scans of one bank. */
export type ScansOfBank = { refunds: Loop; others: readonly Loop[] };

export type PerBank = { wakeRefunds(): void; stop(): Promise<void> };

/** Runs scans for each configured bank, and follows when banks come and go. */
export function startPerBank(banks: OpenBanks, start: (bank: string) => ScansOfBank): PerBank {
  const running = new Map<string, ScansOfBank>();
  const ending: Promise<void>[] = [];
  let stopped = false;
  const end = (bank: string, { refunds, others }: ScansOfBank) => {
    running.delete(bank);
    ending.push(...[refunds, ...others].map((scan) => scan.stop()));
  };
  const follow = () => {
    if (stopped) return;
    for (const [bank, scans] of running) if (!banks.find(bank)) end(bank, scans);
    for (const { id } of banks.all()) if (!running.has(id)) running.set(id, start(id));
  };
  follow();
  banks.onReplaced(follow);
  return {
    wakeRefunds: () => {
      for (const { refunds } of running.values()) refunds.wake();
    },
    stop: async () => {
      stopped = true;
      for (const [bank, scans] of running) end(bank, scans);
      await Promise.all(ending);
    },
  };
}
