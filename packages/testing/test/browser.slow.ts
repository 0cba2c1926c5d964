import t from 'tap';
import { noBrowser, startBrowser, watchTexts } from '../src/browser.ts';

t.test('a page is opened in a real browser', { skip: noBrowser }, async (t) => {
  const browser = await startBrowser(t);
  const page = await browser.newPage();
  await page.goto('data:text/html,<title>Pix</title>');
  t.equal(await page.title(), 'Pix');
});

t.test('a text that was shown for a moment has been seen', { skip: noBrowser }, async () => {
  const browser = await startBrowser(t);
  const page = await browser.newPage();
  await page.goto('data:text/html,<p>before</p>');
  const shown = await watchTexts(page, 'p');
  await page.evaluate(`{
    const [element] = document.getElementsByTagName('p');
    element.textContent = 'now';
    Promise.resolve().then(() => (element.textContent = 'before'));
  }`);
  await shown('now');
});
