import { execFileSync } from 'node:child_process';

/** Runs git in one repository, and returns its output without the last line's end. */
export type Git = (...args: string[]) => string;

export function gitIn(root: string): Git {
  return (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
}
