import type { startBrowser } from '@payments/testing/browser';
import axe, { type AxeResults } from 'axe-core';

type Browser = Awaited<ReturnType<typeof startBrowser>>;
type Page = Awaited<ReturnType<Browser['newPage']>>;

/** An open page of the docs. `complaints` are the browser's errors. */
export type Reading = { page: Page; complaints: string[] };

type Reader = { width: number; colorScheme: 'light' | 'dark' };

/** Two readers: a phone with dark colours, a desktop with light ones. */
export const readers: [phone: Reader, desk: Reader] = [
  { width: 390, colorScheme: 'dark' },
  { width: 1280, colorScheme: 'light' },
];

/**
 * Opens a page. Console errors, failed requests and CSP violations are complaints.
 * A load that the browser gives up, because the reader goes on to another page, is none.
 */
export async function open(browser: Browser, url: string, reader: Reader = readers[1]): Promise<Reading> {
  const { width, colorScheme } = reader;
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText;
    if (reason !== 'net::ERR_ABORTED') complaints.push(`${request.url()} failed: ${reason}`);
  });
  await page.addInitScript(`document.addEventListener('securitypolicyviolation', (event) =>
    console.error('against the policy: ' + event.violatedDirective + ' ' + event.blockedURI))`);
  await page.goto(url);
  return { page, complaints };
}

/** @returns the violations of WCAG */
export async function obstacles({ page }: Reading): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate("axe.run({ resultTypes: ['violations'] })")) as AxeResults;
  return violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes[0]?.html}`);
}

/** @returns the pixels by which a page is wider than its screen */
export function overflow({ page }: Reading): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - innerWidth');
}
