import { parseArgs } from 'node:util';

export type BenchOptions = {
  /** Names of scenarios, in the order to run; empty is all. */
  scenarios: string[];
  /** How often each side is measured. */
  rounds: number;
  /** How long a side is measured in one round. */
  seconds: number;
  connections: number;
  /** Payments that are there in scenarios about size. */
  payments: number;
  /** How many of them are in review for too long, where that is measured. */
  reviews: number;
  /** How long memory is watched. */
  minutes: number;
  /** Where the report goes: `<report>.md` and `<report>.json`. */
  report: string;
  /** Whether API and dispatcher are profiled; their profiles are summarised. */
  profile: boolean;
  /** Whether dist/ is built anew first. */
  build: boolean;
};

/** What cannot be run as asked, in one line. */
export class BenchError extends Error {
  override name = 'BenchError';
}

const flags = {
  rounds: { type: 'string', default: '5' },
  seconds: { type: 'string', default: '10' },
  connections: { type: 'string', default: '50' },
  payments: { type: 'string', default: '1000000' },
  reviews: { type: 'string', default: '100000' },
  minutes: { type: 'string', default: '10' },
  report: { type: 'string', default: '.data/bench/report' },
  profile: { type: 'boolean', default: false },
  'no-build': { type: 'boolean', default: false },
} as const;

/**
 * @param argv what follows `npm run bench --`: names of scenarios, or none for all, and flags
 * @param known the names that there are
 * @throws BenchError that names what is wrong
 */
export function readArguments(argv: readonly string[], known: readonly string[]): BenchOptions {
  const { values, positionals } = parse(argv);
  for (const name of positionals) {
    if (!known.includes(name)) throw new BenchError(`no scenario ${name}; there are: ${known.join(', ')}`);
  }
  return {
    scenarios: positionals,
    rounds: whole('rounds', values.rounds),
    seconds: positive('seconds', values.seconds),
    connections: whole('connections', values.connections),
    payments: whole('payments', values.payments),
    reviews: whole('reviews', values.reviews),
    minutes: positive('minutes', values.minutes),
    report: values.report,
    profile: values.profile,
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
