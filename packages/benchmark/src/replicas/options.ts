import { parseArgs } from 'node:util';

export const usage = `npm run replicas -- [options]

Runs several replicas of both services on one database, and prints a table of load, connections and CPU.

  --replicas <list>  replicas of each service, comma-separated (1,2,4,8)
  --rate <n>         payments created and paid a second (20)
  --seconds <n>      how long, and as long without load (20)
  --help             prints this`;

export type ReplicasOptions = { replicas: number[]; rate: number; seconds: number };

const options = {
  replicas: { type: 'string', default: '1,2,4,8' },
  rate: { type: 'string', default: '20' },
  seconds: { type: 'string', default: '20' },
  help: { type: 'boolean', default: false },
} as const;

/**
 * @returns undefined if the command line asks for help
 * @throws TypeError, RangeError
 */
export function readOptions(args: string[]): ReplicasOptions | undefined {
  const { values } = parseArgs({ args, options, strict: true });
  if (values.help) return undefined;
  const replicas = values.replicas.split(',').map(Number);
  const [rate, seconds] = [Number(values.rate), Number(values.seconds)];
  for (const number of [...replicas, rate, seconds])
    if (!Number.isInteger(number) || number < 1) throw new RangeError('options must be whole numbers');
  return { replicas, rate, seconds };
}
