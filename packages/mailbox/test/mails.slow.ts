import { mkdirSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { noticeKinds } from '@payments/notices/kinds';
import { renderNotices } from '@payments/notices/mail/notice-words';
import { renderPersonal } from '@payments/notices/mail/personal-words';
import { openSmtpSender } from '@payments/notices/mail/smtp-sender';
import { readSmtpUrl } from '@payments/notices/mail/smtp-url';
import type { Rendered } from '@payments/notices/sending';
import { noBrowser, type Page, startBrowser } from '@payments/testing/browser';
import axe from 'axe-core';
import t, { type Test } from 'tap';
import { around, collected, personal } from '../../notices/test/mail/samples.ts';
import { buildMailbox } from '../src/app.ts';
import { keepMessages } from '../src/messages.ts';
import { listenSmtp } from '../src/smtp.ts';

/**
 * Mails as people see them on a phone, by day and by night, in the mailbox's frame. `MAIL_PICTURES` names a folder for
 * pictures of them.
 */

const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
const pictures = process.env.MAIL_PICTURES;
const schemes = ['light', 'dark'] as const;

const review = renderNotices(collected('review_waiting'), around);
/** Each kind for one thing and for two, and every mail to the person concerned. */
const letters: Record<string, Rendered> = {
  reviews: renderNotices(collected('review_waiting', 1_200, 50), around),
  ...Object.fromEntries(
    noticeKinds.flatMap((kind) => [
      [kind, renderNotices(collected(kind), around)],
      [`${kind}-2`, renderNotices(collected(kind, 2), around)],
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(personal).map(([name, notice]) => [name, renderPersonal(notice, around)]),
  ),
};

type Violation = { id: string; nodes: { html: string; failureSummary: string }[] };

async function look(t: Test, page: Page, name: string) {
  t.ok(Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth')) <= 0, `${name} fits`);
  await page.evaluate(axe.source);
  const run = `axe.run({ runOnly: ${JSON.stringify(rules)}, resultTypes: ['violations'] })`;
  const { violations } = (await page.evaluate(run)) as { violations: Violation[] };
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  t.same(found, [], name);
  if (!pictures) return;
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });
}

t.test('mails on a phone, by day and by night', { skip: noBrowser }, async (t) => {
  const browser = await startBrowser(t);
  for (const colorScheme of schemes) {
    const page = await browser.newPage({
      viewport: { width: 360, height: 740 },
      colorScheme,
      locale: 'pt-BR',
    });
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    for (const [name, { html, url }] of Object.entries(letters)) {
      await page.setContent(html);
      await look(t, page, `${name}-${colorScheme}`);
      if (url === null) continue;
      t.equal(await page.getAttribute('a.button', 'href'), url);
      const { height = 0 } = (await page.locator('a.button').boundingBox()) ?? {};
      t.ok(height >= 44, 'a thumb hits the button');
    }
    t.same(requests, [], 'nothing is loaded');
    await page.close();
  }
});

t.test('the mailbox shows them', { skip: noBrowser }, async (t) => {
  const messages = keepMessages(10);
  const smtp = await listenSmtp(messages, { host: '127.0.0.1', port: 0 });
  const app = buildMailbox(messages);
  await app.listen({ port: 0, host: '127.0.0.1' });
  t.teardown(async () => {
    await app.close();
    await smtp.close();
  });
  const mailbox = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  const server = readSmtpUrl(`smtp://127.0.0.1:${smtp.port}`);
  if (typeof server === 'string') throw new Error(server);
  const sender = openSmtpSender({ server, from: 'painel@pix.example', allowPlain: false });
  const browser = await startBrowser(t);
  const context = await browser.newContext({ viewport: { width: 360, height: 740 }, locale: 'pt-BR' });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (line) => line.type() === 'error' && complaints.push(line.text()));

  await page.goto(mailbox);
  await page.getByText('Nenhum e-mail ainda.').waitFor();
  const { subject, text, html, url } = review;
  await sender.send({ id: 'one', to: 'ana@loja.example', subject, text, html });
  // The page shows it by itself.
  await page.getByRole('link', { name: subject }).waitFor();
  for (const colorScheme of schemes) {
    await page.emulateMedia({ colorScheme });
    await page.goto(mailbox);
    t.ok(Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth')) <= 0);
    if (pictures) await page.screenshot({ path: join(pictures, `mailbox-${colorScheme}.png`) });
    await page.getByRole('link', { name: subject }).click();
    await page.frameLocator('iframe').getByRole('link', { name: 'Decidir agora' }).waitFor();
    if (pictures) await page.screenshot({ path: join(pictures, `mailbox-mail-${colorScheme}.png`) });
  }
  t.same(complaints, []);

  await context.route('https://painel.pix.example/**', (route) => route.fulfill({ body: 'o painel' }));
  const opened = context.waitForEvent('page');
  await page.frameLocator('iframe').getByRole('link', { name: 'Decidir agora' }).click();
  t.equal((await opened).url(), url, 'the link opens beside the mailbox');
});
