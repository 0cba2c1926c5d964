import { parseArgs } from 'node:util';
import { StartError } from './start-error.ts';

export type StartOptions = {
  /** The names of the banks to simulate, comma-separated. */
  banks?: string | undefined;
  /** Whether a browser opens the docs. */
  open?: boolean | undefined;
  /** Whether stores with a month of payments are made. */
  'seed-data'?: boolean | undefined;
};

/**
 * Parses the options of `npm start --`.
 * @throws StartError with the wrong option
 */
export function readStartOptions(args: readonly string[]): StartOptions {
  try {
    const options = {
      banks: { type: 'string' },
      open: { type: 'boolean' },
      'seed-data': { type: 'boolean' },
    } as const;
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw new StartError((error as Error).message.split('. ')[0]);
  }
}
