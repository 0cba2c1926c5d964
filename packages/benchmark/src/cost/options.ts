import { parseArgs } from 'node:util';

export const usage = `npm run cost -- [options]

Runs an API, a dispatcher and PostgreSQL without work, then at each rate, and prints what one payment costs in each:
creation with the bank's code, callback, settlement, and a webhook for each of its two events. Needs npm run build, Linux.

  --rates <list>     payments a second, comma-separated; 0 for as many as 50 connections create (1,20,100,500,0)
  --seconds <n>      how long each rate lasts (20)
  --rounds <n>       how often all of it is measured (3)
  --bare             measures two minimal processes in the place of the service: the same calls, commits and messages
  --unpaid           creations with their bank call and webhook alone
  --statements <n>   prints the statements that take most of PostgreSQL's time, so many for each rate (0)
  --profile <dir>    writes a CPU profile of API and dispatcher here
  --help             prints this`;

export type CostOptions = {
  rates: number[];
  seconds: number;
  rounds: number;
  bare: boolean;
  unpaid: boolean;
  statements: number;
  profile: string | undefined;
};

const flags = {
  rates: { type: 'string', default: '1,20,100,500,0' },
  seconds: { type: 'string', default: '20' },
  rounds: { type: 'string', default: '3' },
  bare: { type: 'boolean', default: false },
  unpaid: { type: 'boolean', default: false },
  statements: { type: 'string', default: '0' },
  profile: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const;

/**
 * @returns undefined if the command line asks for help
 * @throws TypeError, RangeError
 */
export function readOptions(args: string[]): CostOptions | undefined {
  const { values } = parseArgs({ args, options: flags, strict: true });
  if (values.help) return undefined;
  const { bare, unpaid, profile } = values;
  const rates = values.rates.split(',').map(Number);
  const [seconds, rounds, statements] = [values.seconds, values.rounds, values.statements].map(Number);
  for (const number of [...rates, statements])
    if (!Number.isInteger(number) || number! < 0) throw new RangeError('options must be whole numbers');
  for (const number of [seconds, rounds])
    if (!Number.isInteger(number) || number! < 1)
      throw new RangeError('options must be whole numbers above zero');
  return { rates, seconds: seconds!, rounds: rounds!, statements: statements!, bare, unpaid, profile };
}
