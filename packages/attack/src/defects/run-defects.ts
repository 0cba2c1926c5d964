import { rm } from 'node:fs/promises';
import { breakSources } from '@payments/testing/break-sources';
import { type AttackOptions, OptionError } from '../options.ts';
import { runAttack } from '../run.ts';
import type { Report } from '../verdict/report.ts';
import { allDefects } from './all.ts';
import type { Defect } from './defect.ts';

export type Caught = {
  defect: string;
  /** The checker's findings that show it; empty if it was not caught. */
  by: string[];
  /** From the start of the system to the verdict. */
  seconds: number;
  report: Report;
};

const usualPause = [1, 3] as const;

/**
 * Runs broken builds one after the other, and one intact build that must pass.
 * @throws OptionError for the name of a defect that does not exist
 */
export async function runDefects(
  { root, options, signal }: { root: string; options: AttackOptions; signal: AbortSignal },
  tell: (line: string) => void,
): Promise<Caught[]> {
  const chosen = choose(options.defects ?? []);
  const caught: Caught[] = [];
  for (const defect of chosen) {
    tell(`${defect.name}: ${defect.seconds} s of load, ${defect.faults.join(', ') || 'no faults'}`);
    const one = await runOne({ root, options, signal }, defect, tell);
    caught.push(one);
    tell(verdict(one, defect));
  }
  return caught;
}

/** @returns the defects of these names; all if no name is given */
function choose(names: readonly string[]): readonly Defect[] {
  const all = [unbroken, ...allDefects];
  const unknown = names.find((name) => !all.some((one) => one.name === name));
  if (unknown !== undefined)
    throw new OptionError(
      `--defects: there is no "${unknown}"; there are "${all.map(({ name }) => name).join('", "')}"`,
    );
  return names.length === 0 ? all : all.filter(({ name }) => names.includes(name));
}

/** The intact sources: a checker with false alarms would catch everything. */
const unbroken: Defect = {
  name: 'none',
  edits: [],
  faults: [
    'dispatcher-killed',
    'api-killed',
    'postgres-killed',
    'postgres-connection-slow',
    'psp-loses-answers',
  ],
  seconds: 45,
  rate: 15,
  breaks: [],
};

async function runOne(
  { root, options, signal }: { root: string; options: AttackOptions; signal: AbortSignal },
  defect: Defect,
  tell: (line: string) => void,
): Promise<Caught> {
  const sources = await breakSources(root, defect.edits);
  const from = Date.now();
  try {
    const { faults, seconds, rate, spared = [], pauseSeconds = usualPause } = defect;
    const run = { ...options, faults, seconds, rate, spared, sources, signal, pauseSeconds };
    const report = await runAttack(run, (line) => tell(`  ${line}`));
    const by = report.breaches.filter((breach) =>
      defect.breaks.some(({ promise, says }) => promise === breach.promise && says.test(breach.says)),
    );
    return {
      defect: defect.name,
      by: by.map(({ promise, says }) => `promise ${promise}: ${says}`),
      seconds: Math.round((Date.now() - from) / 1_000),
      report,
    };
  } finally {
    await rm(sources, { recursive: true, force: true });
  }
}

/** @returns whether the checker judged this build correctly */
export function isRight({ defect, by, report }: Caught): boolean {
  return defect === unbroken.name ? report.breaches.length === 0 : by.length > 0;
}

function verdict(caught: Caught, { name }: Defect): string {
  const { by, seconds, report } = caught;
  if (name === unbroken.name)
    return `${isRight(caught) ? '✓' : '✗'} nothing broken: ${report.breaches.length} breaches, after ${seconds} s`;
  const others = report.breaches.length - by.length;
  return by.length > 0
    ? `✓ ${name}: caught ${by.length} times after ${seconds} s (${by[0]}); ${others} other breaches`
    : `✗ ${name}: not caught in ${seconds} s; ${others} other breaches`;
}
