import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Page, startBrowser } from '@payments/testing/browser';
import type { Test } from 'tap';

/** The look of the panel in a browser: axe-core (WCAG 2.2 AA), the console, and whether the page fits the screen. */
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core'), 'utf8');
const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const pictures = process.env.PANEL_PICTURES;
const themes = [
  ['light', rules],
  ['dark', ['color-contrast', 'link-in-text-block']],
] as const;

/** The narrowest is that of a page at 400 % (WCAG 1.4.10). */
export const widths = [320, 1280, 1920] as const;

/**
 * The elements that stick out of what surrounds them, where nobody can see or reach them. A menu is scrolled, and an
 * ellipsis says that there is more.
 */
const cut = `[...document.querySelectorAll('main *')].filter((one) => {
  if (one.closest('svg, .visually-hidden, .clip, .tabs, thead, .picker, .day small')) return false;
  const { right, width } = one.getBoundingClientRect();
  const frame = one.closest('.card, .inset, .figure, main').getBoundingClientRect();
  return width > 0 && right > frame.right + 1;
}).map((one) => one.outerHTML.slice(0, 120)).slice(0, 5)`;

/** @returns the elements of the open page that are cut off */
export const cutOff = (page: Page) => page.evaluate(cut) as Promise<string[]>;

/** The upper edges of the figures that share a lower edge. */
const topsByRow = `[...document.querySelectorAll('.figures')].flatMap((group) => {
  const boxes = [...group.children].map((figure) => figure.getBoundingClientRect());
  return Object.values(Object.groupBy(boxes, ({ bottom }) => Math.round(bottom)))
    .map((row) => row.map(({ top }) => Math.round(top)));
})`;

type Violation = { id: string; nodes: { html: string; failureSummary: string }[] };

/** Opens a page whose console's errors are collected. */
export async function openPage(browser: Awaited<ReturnType<typeof startBrowser>>, width: number) {
  const context = await browser.newContext({ viewport: { width, height: 900 }, locale: 'pt-BR' });
  // The debugger injects axe-core, since the page's CSP forbids foreign scripts.
  await context.addInitScript({ content: axe });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (line) => line.type() === 'error' && complaints.push(`${page.url()} ${line.text()}`));
  page.on('pageerror', (error) => complaints.push(`${page.url()} ${error}`));
  return { context, page, complaints };
}

/** Checks the light page by all rules, the dark one by the rules of colour. */
export async function look(t: Test, page: Page, name: string): Promise<void> {
  const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
  t.ok(Number(overflow) <= 0, `${name}: nothing sticks out`);
  t.strictSame(await cutOff(page), [], `${name}: nothing is cut off`);
  const tops = await page.evaluate(topsByRow);
  t.ok(
    (tops as number[][]).every((row) => new Set(row).size === 1),
    `${name}: figures of a row are as high`,
  );
  // Colours do not depend on the width: one check is enough, except for pictures.
  for (const [colorScheme, runOnly] of pictures || name.endsWith('-320') ? themes : themes.slice(0, 1)) {
    await page.emulateMedia({ colorScheme });
    const run = `axe.run({ runOnly: ${JSON.stringify(runOnly)}, resultTypes: ['violations'] })`;
    const { violations } = (await page.evaluate(run)) as { violations: Violation[] };
    const found = violations.flatMap(({ id, nodes }) =>
      nodes.map((node) => `${id}: ${node.html} ${node.failureSummary}`),
    );
    t.strictSame(found, [], `${name} ${colorScheme}`);
    if (!pictures) continue;
    await page.evaluate('scrollTo(0, 0)');
    await page.screenshot({ path: join(pictures, `${name}-${colorScheme}.png`), fullPage: true });
  }
}
