import { dayOf } from '@payments/domain/days';
import { noBrowser, type Page, startBrowser } from '@payments/testing/browser';
import { eventually, startSystem } from '@payments/testing/system';
import t, { type Test } from 'tap';
import { cutOff, widths } from '../panel-look.ts';

/** The panel in a browser: nothing is cut off on any screen, its dates are Brazilian in any browser, and a click counts once. */
t.test('in a browser of another language and zone', { skip: noBrowser }, async (t) => {
  const system = await startSystem();
  t.teardown(system.stop);
  await fill(system);
  const browser = await startBrowser(t);
  const context = await browser.newContext({ locale: 'en-US', timezoneId: 'America/New_York' });
  const page = await context.newPage();
  await page.goto(`${system.adminUrl}/panel/sign-in?with=key`);
  await page.getByLabel('Chave de administração').fill('test-admin-key');
  await page.getByRole('button', { name: 'Entrar' }).click();
  await page.waitForURL('**/panel');
  const open = (path: string) => page.goto(`${system.adminUrl}/panel/${path}`);

  await t.test('nothing is cut off, on any screen', async (t) => {
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 });
      for (const path of seen) {
        await open(path);
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          t.strictSame(await cutOff(page), [], `${path}, ${width}, ${colorScheme}`);
          const wider = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
          t.equal(wider, 0, `${path}, ${width}, ${colorScheme}: no wider than the screen`);
        }
      }
    }
  });

  await t.test('the page’s place in the menu is in sight on a phone', async (t) => {
    await page.setViewportSize({ width: 390, height: 900 });
    await open('reconciliation');
    const here = page.getByRole('link', { name: 'Conciliação', exact: true });
    const { x, width } = (await here.boundingBox())!;
    t.ok(x >= 0 && x + width <= 390, `${x} to ${x + width}`);
    await page.setViewportSize({ width: 1280, height: 900 });
  });

  await t.test('a filter’s days, and a key that can’t be copied', (t) => days(t, page, open));
});

t.test(
  'a part that is replaced keeps the focus and what a refused form says',
  { skip: noBrowser },
  async (t) => {
    const system = await startSystem({ dispatcher: false });
    t.teardown(system.stop);
    const store = await system.createStore();
    const page = await (await startBrowser(t)).newPage();
    await page.goto(`${system.adminUrl}/panel/sign-in?with=key`);
    await page.getByLabel('Chave de administração').fill('test-admin-key');
    await page.getByRole('button', { name: 'Entrar' }).click();
    await page.waitForURL('**/panel');
    const { id } = await system.sell(store, { amount: 20 }, { valor: '19.00', until: 'review' });
    const updates = (path: string) => page.waitForResponse((answer) => answer.url().includes(`${path}/live`));

    await page.goto(`${system.adminUrl}/panel/reviews`);
    await updates('reviews');
    await page.locator(`#move-review-approved-${id} summary`).focus();
    await system.sell(store, { amount: 30 }, { valor: '29.00', until: 'review' });
    await page.locator('li.review').nth(1).waitFor();
    const focused = await page.evaluate('document.activeElement.closest("details")?.id');
    t.equal(focused, `move-review-approved-${id}`);

    await page.locator(`#move-review-not_approved-${id} summary`).click();
    const reason = page.locator(`#reason-review-not_approved-${id}`);
    await reason.fill('comprou');
    await reason.evaluate((field) =>
      (field as unknown as { setSelectionRange(start: number, end: number): void }).setSelectionRange(3, 3),
    );
    await system.sell(store, { amount: 40 }, { valor: '39.00', until: 'review' });
    await page.locator('li.review').nth(2).waitFor();
    await page.keyboard.type('x');
    t.equal(await reason.inputValue(), 'comxprou', 'the caret stays where it was');

    await page.goto(`${system.adminUrl}/panel/payments/${id}`);
    await page.locator(`#move-review-not_approved-${id} summary`).click();
    await page.locator(`#reason-review-not_approved-${id}`).fill('x'.repeat(2_001));
    await page.locator(`#move-review-not_approved-${id} button`).click();
    await page.getByText('Confira o campo indicado').waitFor();
    await updates(id);
    await updates(id);
    t.equal(await page.getByText('Pode ter no máximo 2000 caracteres.').count(), 1);

    // The lists above these forms may be longer than the screen.
    const nameOfFocused = () => page.evaluate('document.activeElement.name');
    await page.goto(`${system.adminUrl}/panel/keys`);
    await page.getByLabel('Nome do programa').fill('x'.repeat(101));
    await page.getByRole('button', { name: 'Criar chave' }).click();
    await page.getByText('Pode ter no máximo 100 caracteres.').waitFor();
    t.equal(await nameOfFocused(), 'name');
    await page.getByLabel('Nome do programa').fill('Caixa');
    await page.getByLabel('Loja', { exact: true }).selectOption(store.id);
    await page.getByRole('button', { name: 'Criar chave' }).click();
    await page.getByText('Escolha uma loja para um perfil de loja').waitFor();
    t.equal(await nameOfFocused(), 'storeId');
    await page.goto(`${system.adminUrl}/panel/stores/${store.id}/store`);
    await page.getByLabel('Taxa percentual').fill('101');
    await page.locator('#settings').getByRole('button', { name: 'Salvar' }).click();
    await page.getByText('Deve ser no máximo 100 %.').waitFor();
    t.equal(await nameOfFocused(), 'feePercent');

    await page.locator('#choices').getByRole('button', { name: 'Salvar' }).click();
    await page.getByText('Alterações salvas.').waitFor();
    const { y, height } = (await page.getByText('Alterações salvas.').boundingBox())!;
    t.ok(y > 0 && y + height < page.viewportSize()!.height, `what was done is in sight: ${y}`);

    const { body: reverser } = await system.admin('/admin/keys', {
      body: { name: '\u202Eosrever', role: 'owner' },
    });
    const order = { body: { status: 'approved' }, token: reverser.key };
    await system.admin(`/admin/payments/${id}/status`, order);
    await page.goto(`${system.adminUrl}/panel/payments/${id}`);
    const line = page.locator('#timeline li p', { hasText: 'osrever' });
    const [who, when] = await Promise.all(
      ['.wrap', 'time'].map((one) => line.locator(one).first().boundingBox()),
    );
    t.ok(when!.x > who!.x + who!.width, 'the time stands after the name, whatever that is written in');
  },
);

t.test('a second click sends no form again', { skip: noBrowser }, async (t) => {
  const system = await startSystem({ dispatcher: false });
  t.teardown(system.stop);
  const page = await (await startBrowser(t)).newPage();
  await page.goto(`${system.adminUrl}/panel/sign-in?with=key`);
  await page.getByLabel('Chave de administração').fill('test-admin-key');
  await page.getByRole('button', { name: 'Entrar' }).click();
  await page.waitForURL('**/panel');
  await page.goto(`${system.adminUrl}/panel/keys`);
  const posts: string[] = [];
  const answer = Promise.withResolvers<void>();
  await page.route('**/panel/keys', async (route) => {
    posts.push(route.request().method());
    await answer.promise;
    await route.continue();
  });
  await page.getByLabel('Nome do programa').fill('Caixa');
  const { x, y } = (await page.getByRole('button', { name: 'Criar chave' }).boundingBox())!;
  await page.mouse.click(x + 5, y + 5);
  await eventually('the first post', async () => posts.length > 0 || undefined);
  await page.mouse.click(x + 5, y + 5);
  answer.resolve();
  await page.getByLabel('Chave criada', { exact: true }).waitFor();
  t.strictSame(posts, ['POST']);
});

t.test('a form whose request was stopped can be sent again', { skip: noBrowser }, async (t) => {
  const system = await startSystem({ dispatcher: false });
  t.teardown(system.stop);
  const page = await (await startBrowser(t)).newPage();
  await page.clock.install();
  await page.goto(`${system.adminUrl}/panel/sign-in?with=key`);
  await page.getByLabel('Chave de administração').fill('test-admin-key');
  await page.getByRole('button', { name: 'Entrar' }).click();
  await page.waitForURL('**/panel');
  await page.goto(`${system.adminUrl}/panel/keys`);
  await page.route('**/panel/keys', (route) => route.abort('aborted'), { times: 1 });
  await page.getByLabel('Nome do programa').fill('Caixa');
  const stopped = page.waitForEvent('requestfailed');
  await page.getByRole('button', { name: 'Criar chave' }).click();
  await stopped;
  await page.clock.fastForward(35_000);
  await page.getByRole('button', { name: 'Criar chave' }).click();
  await page.getByLabel('Chave criada', { exact: true }).waitFor();
});

const seen = [
  '',
  'payments',
  'totals',
  'totals?by=store',
  'reconciliation',
  'reviews',
  'refunds',
  'deliveries',
  'changes',
  'keys',
  'attention',
];

async function days(t: Test, page: Page, open: (path: string) => Promise<unknown>): Promise<void> {
  const today = dayOf(new Date()).split('-').reverse().join('/');
  await open('totals');
  t.equal(await page.getByLabel('Até').inputValue(), today);
  await page.getByLabel('De', { exact: true }).fill('3/4/2026');
  await page.getByRole('button', { name: 'Somar' }).click();
  await page.getByText(`Soma de 03/04/2026 a ${today}`).waitFor();
  t.match(page.url(), /from=3%2F4%2F2026/);
  t.equal(await page.getByLabel('De', { exact: true }).inputValue(), '03/04/2026');
  const field = page.getByLabel('De', { exact: true });
  const verdict = () => field.evaluate((one) => (one as unknown as Input).validationMessage);
  await field.fill('31/02/2026');
  t.equal(await verdict(), 'Escreva um dia que exista: dd/mm/aaaa.');
  await field.fill('28/02/2026');
  t.equal(await verdict(), '');
  t.equal(await page.getByRole('button', { name: 'Escolher o dia' }).count(), 2);
  // The calendar itself is the browser's, outside the page: what is chosen there arrives as this event.
  await field.evaluate((one) => {
    const picker = (one as unknown as Input).nextElementSibling;
    picker.value = '2026-05-06';
    picker.dispatchEvent(new Event('input'));
  });
  t.equal(await field.inputValue(), '06/05/2026');
  await open('keys');
  await page.getByLabel('Nome do programa').fill('ERP');
  await page.getByLabel('Expira em').fill('05/04/2099 08:30');
  await page.getByRole('button', { name: 'Criar chave' }).click();
  await page.getByText('05/04/2099 08:30:00').waitFor();
  await page.evaluate("navigator.clipboard.writeText = () => Promise.reject(new Error('denied'))");
  await page.getByRole('button', { name: 'Copiar: Chave criada' }).click();
  await page.getByText('Selecionado: use Ctrl+C').waitFor();
  const key = await page.getByLabel('Chave criada', { exact: true }).textContent();
  t.equal(await page.evaluate('getSelection().toString()'), key, 'not copied, but selected');
}

type Input = {
  value: string;
  validationMessage: string;
  nextElementSibling: Input;
  dispatchEvent(event: Event): void;
};

/** Long names, long words and large amounts in every list. */
async function fill({ admin, bank }: Awaited<ReturnType<typeof startSystem>>): Promise<void> {
  const name = 'Livraria e Papelaria Pé de Página do Centro Histórico de São Luís';
  const request = { name, maxAmount: 20_000, reviewAbove: 9_000 };
  const { body: store } = await admin('/admin/stores', { body: request });
  const charge = async (amount: number) => {
    const about = { observation: 'Encomenda 1042 '.repeat(6), email: `${'gabriela'.repeat(5)}@example.com` };
    return (await admin(`/admin/stores/${store.id}/payments`, { body: { amount, ...about } })).body;
  };
  const reach = (id: string, status: string) =>
    eventually(`a payment to be ${status}`, async () =>
      (await admin(`/admin/payments/${id}`)).body.status === status ? true : undefined,
    );
  const [working, waiting, other] = [await charge(8_750.5), await charge(9_999.99), await charge(59.9)];
  for (const [{ qrCopyPaste }, valor] of [[working], [waiting], [other, '47.92']])
    await bank('/bank/pay', { pixCopiaECola: qrCopyPaste, ...(valor && { valor }) });
  await reach(working.id, 'approved');
  await reach(waiting.id, 'review');
  await reach(other.id, 'review');
  for (const status of ['paid', 'withdrawal_processing'])
    await admin(`/admin/payments/${working.id}/status`, { body: { status, reason: 'Demonstração' } });
}
