import { notSynchronised } from './check.ts';
import { compareAll, fail, type History, takeStep } from './history.ts';
import { scans } from './operations.ts';

const rounds = 14;

/**
 * Ends a history: the bank works, time passes, and all scans run until nothing changes. A person orders owed refunds
 * again.
 * @throws Error with the story, if the service differs from the bank
 */
export async function endHistory(history: History): Promise<void> {
  const { subjects } = history;
  await takeStep(history, { kind: 'faults', faults: {} });
  await untilQuiet(history);
  const waiting = subjects.flatMap(({ name, said }) =>
    said.open
      .filter(({ at }) => at !== null)
      .map(({ endToEndId }) => `${name}: of ${endToEndId} nothing is ordered anew`),
  );
  fail(history, waiting);
  const isOwed = subjects.some(({ said }) => said.open.length > 0);
  for (const [of, { said }] of subjects.entries()) {
    for (const _ of said.open) await takeStep(history, { kind: 'anew', of });
  }
  if (isOwed) await untilQuiet(history);
  const found = subjects.flatMap(({ name, said, bank, model }) => {
    const isActive = model.isCancelled && bank.status === 'ATIVA';
    const more = isActive ? ['the charge was cancelled, and can still be paid'] : [];
    const open = said.open.map(({ endToEndId }) => `of ${endToEndId} something is open still`);
    return [...notSynchronised(said, bank), ...more, ...open].map((text) => `${name}: ${text}`);
  });
  fail(history, found);
}

async function untilQuiet(history: History): Promise<void> {
  const { subjects } = history;
  const state = () => JSON.stringify(subjects.map(({ said, bank }) => [said, bank]));
  let isSure = false;
  for (let round = 0; round < rounds; round += 1) {
    const before = state();
    await takeStep(history, { kind: 'pass', seconds: isSure ? 7 * 3_600 : 3_750 }, { isQuiet: true });
    for (const scan of scans) await takeStep(history, { kind: 'scan', scan }, { isQuiet: true });
    await compareAll(history, []);
    const isStill = before === state();
    if (isStill && isSure) return;
    isSure = isStill;
  }
}
