import { parseArgs } from 'node:util';

import { faultNames } from './faults/all.ts';

/** A wrong command-line argument, in one line. */
export class OptionError extends Error {}

export type AttackOptions = {
  seconds: number;
  seed: number;
  /** Attacks a pair of PostgreSQL servers and three of NATS, in the place of one each. */
  cluster: boolean;
  /** Names of the possible faults. */
  faults: string[];
  /** Client actions a second. */
  rate: number;
  /** A steady load without faults, with samples of what may grow. */
  soak: boolean;
  /** Defects to run, each in a copy of the sources; undefined runs the intact sources. */
  defects: string[] | undefined;
  /** The report's path. */
  report: string;
};

export const usage = `npm run chaos -- [options]

  --seconds <n>     how long load and faults last (180; a soak 3600)
  --seed <n>        repeats the load and the schedule of faults of an earlier run
  --cluster         a primary and its synchronous standby, and three NATS servers
  --faults <list>   only these faults, comma-separated; "none" for none; default all:
                    ${faultNames({ cluster: false }).join(', ')}
                    with --cluster:
                    ${faultNames({ cluster: true }).join(', ')}
  --rate <n>        clients' actions a second (15)
  --report <file>   where the report goes (.data/chaos/<seed>.json)
  --soak            steady load, no faults: samples memory, handles, tables and latency
  --defects [names] runs builds that are broken on purpose, one after the other: each must be caught
  --help            prints this`;

const options = {
  seconds: { type: 'string' },
  seed: { type: 'string' },
  cluster: { type: 'boolean', default: false },
  faults: { type: 'string' },
  rate: { type: 'string', default: '15' },
  report: { type: 'string' },
  soak: { type: 'boolean', default: false },
  defects: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

/**
 * Parses the command line.
 * @returns undefined if it asks for help
 * @throws OptionError with the wrong option, in one line
 */
export function readOptions(args: string[]): AttackOptions | undefined {
  const { values, positionals } = parse(args);
  if (values.help) return undefined;
  const seed = integer('--seed', values.seed ?? String(Date.now() % 1_000_000));
  const { soak, cluster } = values;
  return {
    seconds: integer('--seconds', values.seconds ?? (soak ? '3600' : '180')),
    seed,
    cluster,
    faults: soak ? [] : faultsOf(values.faults, faultNames({ cluster })),
    rate: integer('--rate', values.rate),
    soak,
    defects: values.defects ? positionals : undefined,
    report: values.report ?? `.data/chaos/${soak ? 'soak-' : values.defects ? 'defects-' : ''}${seed}.json`,
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, options, strict: true, allowPositionals: true });
  } catch (error) {
    throw new OptionError(`${(error as Error).message.split('\n')[0]} (--help tells the options)`);
  }
}

function faultsOf(list: string | undefined, possible: string[]): string[] {
  if (list === undefined) return possible;
  if (list === 'none') return [];
  const names = list.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !possible.includes(name));
  if (unknown !== undefined) throw new OptionError(`--faults: there is no ${unknown} (--help names them)`);
  return names;
}

function integer(name: string, text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 0) return value;
  throw new OptionError(`${name} must be a whole number, not ${text}`);
}
