import { parseArgs } from 'node:util';

export const usage = `npm run drill -- [options]

Backs the database up, runs the system under load, destroys the database, restores it to an earlier moment as
deploy/restore.md says, and compares the result with the banks.

  --standby         no restore: an asynchronous standby that fell behind is promoted, and the services go on
  --seconds <n>     how long the load lasts (600)
  --lost <n>        how many of these seconds, the last ones, the restored database lacks (120)
  --rate <n>        clients' actions a second (15)
  --seed <n>        repeats the load of an earlier drill
  --report <file>   where the report goes (.data/drill/<seed>.json)
  --help            prints this`;

export type DrillOptions = {
  standby: boolean;
  seconds: number;
  lost: number;
  rate: number;
  seed: number;
  report: string;
};

const options = {
  standby: { type: 'boolean', default: false },
  seconds: { type: 'string', default: '600' },
  lost: { type: 'string', default: '120' },
  rate: { type: 'string', default: '15' },
  seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  report: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const;

/**
 * @returns undefined if the command line asks for help
 * @throws TypeError, RangeError
 */
export function readOptions(args: string[]): DrillOptions | undefined {
  const { values } = parseArgs({ args, options, strict: true });
  if (values.help) return undefined;
  const numbers = {
    seconds: Number(values.seconds),
    lost: Number(values.lost),
    rate: Number(values.rate),
    seed: Number(values.seed),
  };
  for (const [name, value] of Object.entries(numbers))
    if (!Number.isInteger(value) || value < 1) throw new RangeError(`--${name} must be a whole number`);
  if (numbers.lost >= numbers.seconds) throw new RangeError('--lost must be less than --seconds');
  return { ...numbers, standby: values.standby, report: values.report ?? `.data/drill/${numbers.seed}.json` };
}
