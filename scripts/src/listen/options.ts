import { parseArgs } from 'node:util';
import { signingKey } from '@payments/webhooks/signature';
import { StartError } from '../start-error.ts';

export type ListenOptions = {
  port: number;
  /** Undefined for the demo store's secret, from a running `npm start`. */
  secret: string | undefined;
  /** The status of responses. */
  status: number;
  delayMs: number;
  /** How many webhooks first get a 500. */
  failFirst: number;
  /** Prints whole bodies. */
  body: boolean;
};

export const usage = `npm run webhooks:listen -- [options]

  --port <n>        where to listen (4000; 0 takes any free port)
  --secret <whsec_> the store's webhook secret (WEBHOOK_SECRET, else the demo store's from a running npm start)
  --status <n>      answer this status instead of 200
  --delay <time>    answer after this time: 500ms, 3s, 2m
  --fail-first <n>  answer 500 to the first n webhooks
  --body            print whole bodies
  --help            print this`;

const options = {
  port: { type: 'string', default: '4000' },
  secret: { type: 'string' },
  status: { type: 'string', default: '200' },
  delay: { type: 'string', default: '0s' },
  'fail-first': { type: 'string', default: '0' },
  body: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

/**
 * Parses the command line.
 * @returns undefined if it asks for help
 * @throws StartError with the wrong option, in one line
 */
export function readListenOptions(args: string[], env: NodeJS.ProcessEnv): ListenOptions | undefined {
  const values = parse(args);
  if (values.help) return undefined;
  return {
    port: integer('--port', values.port, 0, 65_535),
    secret: secretIn(values.secret ?? (env.WEBHOOK_SECRET || undefined)),
    status: integer('--status', values.status, 200, 599),
    delayMs: duration('--delay', values.delay),
    failFirst: integer('--fail-first', values['fail-first'], 0, 1_000_000),
    body: values.body,
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, options, strict: true }).values;
  } catch (error) {
    throw new StartError(`${(error as Error).message.split('\n')[0]} (--help tells the options)`);
  }
}

/** With another secret every webhook would seem forged. */
function secretIn(given: string | undefined): string | undefined {
  try {
    if (given !== undefined) signingKey(given);
    return given;
  } catch (error) {
    throw new StartError((error as Error).message);
  }
}

function integer(name: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  throw new StartError(`${name} must be a whole number from ${least} to ${most}, not ${text}`);
}

const units = { ms: 1, s: 1_000, m: 60_000 };

function duration(name: string, text: string): number {
  const [, amount, unit = 's'] = /^(\d+(?:\.\d+)?)(ms|s|m)?$/.exec(text) ?? [];
  if (amount !== undefined) return Number(amount) * units[unit as keyof typeof units];
  throw new StartError(`${name} must be a time such as 500ms, 3s or 2m, not ${text}`);
}
