import { chromiumProgram } from '@payments/local-servers/chromium';
import { type Browser, chromium, type Page, type Request } from 'playwright-core';
import { patienceMs } from './patience.ts';

export type { Page, Request };

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
  // A slow machine is no failure.
  browser.on('context', (context) => context.setDefaultTimeout(patienceMs));
  t.teardown(() => browser.close());
  return browser;
}

/**
 * Watches the first element of a CSS selector. A word that is soon taken back may be gone before the next look.
 * @returns a function that resolves once the element has shown a text, however briefly
 */
export async function watchTexts(page: Page, selector: string): Promise<(text: string) => Promise<void>> {
  await page.locator(selector).first().waitFor();
  await page.evaluate(`{
    const element = document.querySelector(${JSON.stringify(selector)});
    const keep = () => (element.dataset.shown = (element.dataset.shown ?? '') + '|' + element.textContent);
    new MutationObserver(keep).observe(element, { childList: true, characterData: true, subtree: true });
  }`);
  return (text) => page.locator(`[data-shown*="${text}"]`).waitFor({ state: 'attached' });
}
