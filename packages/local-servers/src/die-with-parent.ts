import { spawnSync } from 'node:child_process';
import { findExecutable } from './executable.ts';

let supported: boolean | undefined;

/**
 * @returns options of setpriv(1) with which the kernel sends `signal` to the program when this process ends; empty if
 * setpriv lacks them (only util-linux has them)
 */
export function dieWithParent(signal: NodeJS.Signals): string[] {
  supported ??=
    process.platform === 'linux' &&
    findExecutable('setpriv') !== undefined &&
    spawnSync('setpriv', ['--pdeathsig', 'TERM', 'true']).status === 0;
  return supported ? ['--pdeathsig', signal.replace('SIG', '')] : [];
}
