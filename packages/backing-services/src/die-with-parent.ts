import { spawnSync } from 'node:child_process';
import { findExecutable } from './executable.ts';

let supported: boolean | undefined;

/**
 * Options of setpriv(1) with which the kernel sends `signal` to the program when we end, however that happens.
 * Empty where that can't be had (only util-linux's setpriv has the option).
 */
export function dieWithParent(signal: NodeJS.Signals): string[] {
  supported ??=
    process.platform === 'linux' &&
    findExecutable('setpriv') !== undefined &&
    spawnSync('setpriv', ['--pdeathsig', 'TERM', 'true']).status === 0;
  return supported ? ['--pdeathsig', signal.replace('SIG', '')] : [];
}
