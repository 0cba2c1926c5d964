import { type Outcome, runTool } from './repository.ts';

export type Check = { name: string; takesArguments?: boolean; run: (args?: string[]) => Promise<Outcome> };

/** The checks that run none of our code. */
export const checks: Check[] = [
  {
    name: 'lint and format (biome check)',
    takesArguments: true,
    run: (args = []) => runTool('biome', ['check', ...args]),
  },
  // Each checker works out the types of libraries anew: four, as by itself, take half as much more of the processors.
  { name: 'types (tsc)', run: () => runTool('tsc', ['-p', 'tsconfig.json', '--checkers', '2']) },
  { name: 'dependencies (knip)', run: () => runTool('knip', []) },
];

/** Runs a check and prints a line for it, with its output if it failed. */
export async function report(check: Check, args?: string[]): Promise<boolean> {
  const { ok, output, seconds } = await check.run(args);
  console.log(`${ok ? '✓' : '✗'} ${check.name}  ${seconds.toFixed(1)} s`);
  if (!ok) console.log(`${output}\n`);
  return ok;
}
