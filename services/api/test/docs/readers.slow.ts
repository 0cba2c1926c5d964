import { noBrowser, startBrowser } from '@payments/testing/browser';
import { startSystem } from '@payments/testing/system';
import t, { type Test } from 'tap';
import { type OpenApiDocument, operationsOf } from '../../src/docs/document.ts';
import { textNames } from '../../src/docs/languages.ts';
import { obstacles, open, overflow, type Reading, readers } from './reading.ts';

/** Every docs page on a phone and on a desk, with dark and with light colours. */
const system = await startSystem({ dispatcher: false });
t.teardown(system.stop);
const pages: [name: string, url: string][] = [
  ['reference', `${system.url}/docs`],
  ['guide', `${system.url}/docs/guide`],
  ['reference in Portuguese', `${system.url}/docs/pt`],
  ['guide in Portuguese', `${system.url}/docs/pt/guide`],
  ...textNames
    .filter((name) => name !== 'guide')
    .flatMap((name): [string, string][] => [
      [name, `${system.url}/docs/${name}`],
      [`${name} in Portuguese`, `${system.url}/docs/pt/${name}`],
    ]),
  ['administration’s reference', `${system.adminUrl}/docs`],
];

for (const [name, url] of pages) {
  t.test(`nothing is in the way: ${name}`, { skip: noBrowser }, async (t) => {
    const browser = await startBrowser(t);
    for (const reader of readers) {
      const reading = await open(browser, url, reader);
      const who = `${reader.width} px, ${reader.colorScheme}`;
      await reading.page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true");
      t.strictSame(await obstacles(reading), [], `no obstacle: ${who}`);
      t.equal(await overflow(reading), 0, `no wider than the screen: ${who}`);
      t.strictSame(reading.complaints, [], `no complaint of the browser: ${who}`);
      await reading.page.close();
    }
  });
}

for (const [name, url] of [
  ['stores', system.url],
  ['administrators', system.adminUrl],
]) {
  t.test(`every operation is there: ${name}`, { skip: noBrowser }, async (t) => {
    const browser = await startBrowser(t);
    const document = (await (await fetch(`${url}/docs/json`)).json()) as OpenApiDocument;
    for (const reader of readers)
      await hasOperations(t, await open(browser, `${url}/docs`, reader), document);
  });
}

async function hasOperations(t: Test, { page, complaints }: Reading, document: OpenApiDocument) {
  const operations = operationsOf(document);
  await page.locator('details.aside > summary').click();
  const titles = await page.locator('.operation h3').allInnerTexts();
  t.strictSame(titles.sort(), operations.map(({ operation }) => operation.summary).sort());
  const forms = operations.filter(({ isWebhook }) => !isWebhook).length;
  t.equal(await page.locator('form.try-it:visible').count(), forms);
  t.strictSame(complaints, []);
}
