import { readFile } from 'node:fs/promises';
import { dayOf } from '@payments/domain/days';
import { noBrowser, type Page, startBrowser } from '@payments/testing/browser';
import { startSystem } from '@payments/testing/system';
import { parse } from 'csv-parse/sync';
import t, { type Test } from 'tap';

/** Finance's pages by Tab, Enter, arrows and typing alone. */
t.test('totals, statement, conciliação and exports by keyboard', { skip: noBrowser }, async (t) => {
  const system = await startSystem({ dispatcher: false });
  t.teardown(system.stop);
  const store = await system.createStore({ name: 'Café do Mercado' });
  for (const [amount, observation] of [
    [100, 'Pedido 1042'],
    [50.5, '=Pedido 1043'],
  ] as const) {
    const body = { amount, observation };
    const payment = (await system.api('/api-public/payments', { token: store.token, body })).body;
    await system.bank('/bank/pay', { pixCopiaECola: payment.qrCopyPaste });
    await system.waitForStatus(store, payment.id, 'approved');
  }
  const browser = await startBrowser(t);
  const page = await browser.newPage({ locale: 'pt-BR' });
  await page.goto(`${system.adminUrl}/panel/sign-in`);
  await tabTo(t, page, /^Chave de administração/);
  await page.keyboard.type('test-admin-key');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Início' }).waitFor();

  const menu = page.locator('details.more');
  const isOpen = () => menu.evaluate((one) => (one as unknown as { open: boolean }).open);
  await enter(t, page, /^Mais$/);
  t.ok(await isOpen());
  await page.keyboard.press('Escape');
  t.notOk(await isOpen(), 'Escape closes the menu');
  t.equal(await page.evaluate(nameOfFocused), 'Mais');
  await page.keyboard.press('Enter');
  await tabTo(t, page, /^Acessos$/);
  t.ok(await isOpen());
  await tabTo(t, page, /^Sair$/);
  t.notOk(await isOpen(), 'and it hides nothing that has the focus');
  await page.goto(`${system.adminUrl}/panel`);

  await enter(t, page, /^Totais$/);
  await page.getByRole('heading', { name: 'Totais', exact: true }).waitFor();
  await tabTo(t, page, /^Por$/);
  await page.keyboard.press('ArrowDown');
  await enter(t, page, /^Somar$/);
  await page.waitForURL(/by=store/);

  await enter(t, page, /^Café do Mercado$/);
  await page.getByRole('heading', { name: /^Extrato de/ }).waitFor();
  await tabTo(t, page, /^Por$/);
  await page.keyboard.press('ArrowDown');
  await enter(t, page, /^Mostrar$/);
  await page.waitForURL(/by=month/);
  t.match(await download(t, page), [{ period: dayOf(new Date()).slice(0, 7), received: '150.50' }]);

  await enter(t, page, /^Conciliação$/);
  await page.getByRole('heading', { name: 'Conciliação', exact: true }).waitFor();
  const today = Number(dayOf(new Date()).slice(8));
  await enter(t, page, new RegExp(`^${today}\\s*não conferido$`));
  await page.getByText('Este dia ainda não foi conferido.').waitFor();
  await enter(t, page, /^Conferir agora$/);
  await page.getByText('Nenhuma diferença').waitFor();

  await enter(t, page, /^Pagamentos$/);
  await page.getByRole('heading', { name: 'Pagamentos', exact: true }).waitFor();
  await tabTo(t, page, /^Buscar$/);
  await page.keyboard.type('pedido');
  await page.keyboard.press('Enter');
  await page.getByText('2 pagamentos, no total de').waitFor();
  const dangerous = { observation: "'=Pedido 1043" };
  t.match(await download(t, page), [dangerous, { observation: 'Pedido 1042' }]);
});

const nameOfFocused = `(() => {
  const one = document.activeElement;
  return (one.labels?.[0] ?? one).textContent.trim();
})()`;
// The frame of a text field shows its focus.
const isFocusVisible = `(() => {
  const one = document.activeElement;
  return getComputedStyle(one.closest('.input') ?? one).outlineStyle === 'solid';
})()`;

/** Presses Tab until something of this name has the focus, and checks that one sees it. */
async function tabTo(t: Test, page: Page, name: RegExp): Promise<void> {
  for (let presses = 0; presses < 150; presses += 1) {
    await page.keyboard.press('Tab');
    if (!name.test(String(await page.evaluate(nameOfFocused)))) continue;
    t.ok(await page.evaluate(isFocusVisible), `the focus on ${name} is visible`);
    return;
  }
  throw new Error(`Tab does not reach ${name} at ${page.url()}`);
}

async function enter(t: Test, page: Page, name: RegExp): Promise<void> {
  await tabTo(t, page, name);
  await page.keyboard.press('Enter');
}

/** @returns the rows of the page's CSV */
async function download(t: Test, page: Page): Promise<Record<string, string>[]> {
  await tabTo(t, page, /^Exportar CSV$/);
  const [file] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')]);
  return parse(await readFile(await file.path(), 'utf8'), { columns: true, bom: true });
}
