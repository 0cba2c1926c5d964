import { chromiumProgram } from '@payments/local-servers/chromium';
import { type Browser, chromium, type Page } from 'playwright-core';

export type { Page };

const program = chromiumProgram();

/** The reason why browser tests can't run on this machine, or false: `t.test(name, { skip: noBrowser }, …)`. */
export const noBrowser: string | false = program ? false : 'no Chromium on this machine';

/** A headless Chromium for one test, closed at its end. */
export async function startBrowser(t: { teardown(end: () => unknown): void }): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: program!,
    // Containers give /dev/shm 64 MB, and no user namespaces for a sandbox.
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
  t.teardown(() => browser.close());
  return browser;
}
