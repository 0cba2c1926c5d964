import type { Subject } from './history.ts';
import type { Done } from './take.ts';

/** The number of each event in the histories, which shows what was tested. */
export type Tally = {
  step(done: readonly Done[]): void;
  end(subjects: readonly Subject[]): void;
  lines(): string[];
};

export function newTally(): Tally {
  const counts = new Map<string, number>();
  const count = (what: string) => void counts.set(what, (counts.get(what) ?? 0) + 1);
  return {
    step: (done) => {
      for (const { operation, outcome } of done) {
        const detail =
          operation.do === 'scan' ? operation.scan : operation.do === 'decide' ? operation.to : '';
        count(`${operation.do} ${detail} ${outcome.end}`);
      }
    },
    end: (subjects) => {
      for (const { model, charges, pix: all, said } of subjects) {
        count(`history ${model.told.map(({ status }) => status).join(' → ')}`);
        const returns = all.flatMap((pix) => pix.returns);
        for (const { by, state } of returns) count(`return by ${by} ${state}`);
        if (all.length > 1) count('payment with more than one Pix');
        count(`payment at ${said.bank ?? 'no bank'}`);
        if (charges.filter(({ code }) => code !== '').length > 1) count('charge at two banks');
        if (all.some(({ bank }) => bank !== said.bank)) count('Pix on a leftover');
      }
    },
    lines: () =>
      [...counts].sort(([a], [b]) => a.localeCompare(b)).map(([what, times]) => `${times} × ${what}`),
  };
}
