import t from 'tap';
import { noBrowser, startBrowser } from '../src/browser.ts';

t.test('a page is opened in a real browser', { skip: noBrowser }, async (t) => {
  const browser = await startBrowser(t);
  const page = await browser.newPage();
  await page.goto('data:text/html,<title>Pix</title>');
  t.equal(await page.title(), 'Pix');
});
