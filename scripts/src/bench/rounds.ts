/** What is measured of one side in one round. */
export type Turn<Outcome> = { name: string; run: () => Promise<Outcome> };

/**
 * Measures the sides in turns (A B A B …), so that what changes on the machine meanwhile meets all of them; each goes
 * once without being counted, to warm up.
 * @returns the outcomes of each side, round by round
 */
export async function interleave<Outcome>(
  turns: readonly Turn<Outcome>[],
  rounds: number,
  say: (line: string) => void,
): Promise<Map<string, Outcome[]>> {
  const outcomes = new Map<string, Outcome[]>(turns.map(({ name }) => [name, []]));
  for (let round = 0; round <= rounds; round += 1) {
    for (const { name, run } of turns) {
      say(`${round === 0 ? 'warm-up' : `round ${round} of ${rounds}`}: ${name}`);
      const outcome = await run();
      if (round > 0) outcomes.get(name)?.push(outcome);
    }
  }
  return outcomes;
}
