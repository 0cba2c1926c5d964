import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { findExecutable } from './executable.ts';

const run = promisify(execFile);
const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

/** @returns the path of this machine's Chromium, or undefined */
export function chromiumProgram(): string | undefined {
  return names.map((name) => findExecutable(name)).find(Boolean);
}

/**
 * Installs Debian's Chromium if it is missing, as root with apt. It never fails: without a browser, its tests are
 * skipped by name.
 * @param report called with a line per long step, and with the reason of a failure
 */
export async function installChromium(report: (line: string) => void): Promise<void> {
  if (chromiumProgram() || process.getuid?.() !== 0 || !findExecutable('apt-get')) return;
  report('no Chromium on this machine: installing the Debian package chromium');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  try {
    await run('apt-get', ['-qq', 'update'], { env });
    await run('apt-get', ['-qq', 'install', '-y', '--no-install-recommends', 'chromium'], { env });
  } catch (error) {
    const reason =
      String((error as { stderr?: string }).stderr ?? error).match(/^E: .*/m)?.[0] ?? 'no answer';
    report(`no browser tests: apt-get could not install chromium (${reason})`);
  }
}
