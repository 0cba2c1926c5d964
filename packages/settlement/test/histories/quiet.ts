import { notSynchronised } from './check.ts';
import { compareAll, fail, type History, takeStep } from './history.ts';
import { lostInTheEnd } from './lost.ts';
import { isOfAll, type Scan, scans } from './operations.ts';
import { leftovers } from './place.ts';

const rounds = 14;
const roundsOfRemoval = 6;

/**
 * Ends a history: the bank works, time passes, and all scans run until nothing changes. A person orders owed refunds
 * again.
 * @throws Error with the story, if the service differs from the bank
 */
export async function endHistory(history: History): Promise<void> {
  const { subjects } = history;
  await recover(history);
  await withoutLeftovers(history);
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
  if (history.lost) fail(history, await lostInTheEnd(history.world, history.lost));
  const found = subjects.flatMap(({ name, said, charges, pix, model }) => {
    const isActive = model.isCancelled && charges.some(({ status }) => status === 'ATIVA');
    const more = isActive ? ['the charge was cancelled, and can still be paid'] : [];
    const open = said.open.map(({ endToEndId }) => `of ${endToEndId} something is open still`);
    return [...notSynchronised(said, { pix }), ...more, ...open].map((text) => `${name}: ${text}`);
  });
  fail(history, found);
}

async function recover(history: History): Promise<void> {
  const places = [...history.world.banks.keys()];
  await takeStep(history, { kind: 'banks', configured: places });
  for (const bank of places) await takeStep(history, { kind: 'faults', bank, faults: {} });
}

/** Within minutes nothing can be paid at a bank that is not the payment's. */
async function withoutLeftovers(history: History): Promise<void> {
  if (history.world.banks.length === 1) return;
  for (let round = 0; round < roundsOfRemoval; round += 1) {
    await takeStep(history, { kind: 'pass', seconds: 61 }, { isQuiet: true });
    await scanAll(history, ['follow', 'unheard']);
  }
  await compareAll(history, []);
  const now = history.world.context.now().getTime();
  fail(
    history,
    history.subjects.flatMap((subject) => leftovers(subject, now)),
  );
}

async function scanAll(history: History, names: readonly Scan[]): Promise<void> {
  for (const scan of names)
    for (const bank of history.world.banks.keys())
      if (bank === 0 || !isOfAll(scan))
        await takeStep(history, { kind: 'scan', scan, bank }, { isQuiet: true });
}

async function untilQuiet(history: History): Promise<void> {
  const { subjects } = history;
  const state = () => JSON.stringify(subjects.map(({ said, charges }) => [said, charges]));
  let isSure = false;
  for (let round = 0; round < rounds; round += 1) {
    const before = state();
    await takeStep(history, { kind: 'pass', seconds: isSure ? 7 * 3_600 : 3_750 }, { isQuiet: true });
    await scanAll(history, scans);
    await compareAll(history, []);
    const isStill = before === state();
    if (isStill && isSure) return;
    isSure = isStill;
  }
}
