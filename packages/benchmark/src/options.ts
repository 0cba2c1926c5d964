import { parseArgs } from 'node:util';

export type BenchOptions = {
  /** Names of scenarios in the order to run; empty for all. */
  scenarios: string[];
  /** How often each side is measured. */
  rounds: number;
  /** How long a side is measured in a round. */
  seconds: number;
  connections: number;
  /** The report's path: `<report>.md` and `<report>.json`. */
  report: string;
  /** True if dist/ is built first. */
  build: boolean;
};

/** The reason why the benchmark can't run, in one line. */
export class BenchError extends Error {
  override name = 'BenchError';
}

const flags = {
  rounds: { type: 'string', default: '5' },
  seconds: { type: 'string', default: '5' },
  connections: { type: 'string', default: '50' },
  report: { type: 'string', default: '.data/bench/report' },
  'no-build': { type: 'boolean', default: false },
} as const;

/**
 * @param argv the arguments of `npm run bench --`: flags, and names of scenarios, or none for all
 * @param known the names of all scenarios
 * @throws BenchError with the wrong argument
 */
export function readOptions(argv: readonly string[], known: readonly string[]): BenchOptions {
  const { values, positionals } = parse(argv);
  const unknown = positionals.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new BenchError(`no scenario ${unknown}; there are: ${known.join(', ')}`);
  return {
    scenarios: positionals,
    rounds: whole('rounds', values.rounds),
    seconds: positive('seconds', values.seconds),
    connections: whole('connections', values.connections),
    report: values.report,
    build: !values['no-build'],
  };
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: flags, allowPositionals: true });
  } catch (error) {
    throw new BenchError((error as Error).message.split('. ')[0]);
  }
}

function positive(name: string, text: string): number {
  const value = Number(text);
  if (text !== '' && Number.isFinite(value) && value > 0) return value;
  throw new BenchError(`--${name} must be a number above zero, not ${text}`);
}

function whole(name: string, text: string): number {
  const value = positive(name, text);
  if (Number.isInteger(value)) return value;
  throw new BenchError(`--${name} must be a whole number, not ${text}`);
}
