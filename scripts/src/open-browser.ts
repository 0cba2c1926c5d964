import { spawn } from 'node:child_process';

/** @returns the command that opens an address in the browser of a platform */
export function browserCommand(platform: NodeJS.Platform, url: string): [program: string, ...args: string[]] {
  if (platform === 'darwin') return ['open', url];
  return ['xdg-open', url];
}

/** Opens an address in the person's browser. Calls `onFailure` on a machine without one. */
export function openBrowser(url: string, onFailure: () => void): void {
  const [program, ...args] = browserCommand(process.platform, url);
  const child = spawn(program, args, { stdio: 'ignore', detached: true });
  child.on('error', onFailure);
  child.unref();
}
