import { noBrowser, startBrowser, watchTexts } from '@payments/testing/browser';
import { startReceiver } from '@payments/testing/receiver';
import { startSystem } from '@payments/testing/system';
import t from 'tap';
import { isError } from '../public/payments/expectations.ts';

/** A store from its creation to its deactivation, in a browser. */
t.test('from signing in to “Loja inativa.”', { skip: noBrowser }, async (t) => {
  const system = await startSystem();
  t.teardown(system.stop);
  const receiver = await startReceiver();
  t.teardown(receiver.close);
  const browser = await startBrowser(t);
  const context = await browser.newContext({ locale: 'pt-BR' });
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: system.adminUrl });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (line) => line.type() === 'error' && complaints.push(line.text()));
  page.on('pageerror', (error) => complaints.push(String(error)));

  await page.goto(system.adminUrl);
  await page.getByLabel('Chave de administração').fill('test-admin-key');
  await page.getByRole('button', { name: 'Entrar' }).click();
  await page.getByRole('heading', { name: 'Início' }).waitFor();

  await page.getByRole('link', { name: 'Lojas' }).click();
  await page.getByRole('link', { name: 'Criar loja' }).first().click();
  await page.getByLabel('Nome').fill('Café Açaí');
  await page.getByLabel('Taxa percentual').fill('1,5');
  await page.getByRole('button', { name: 'Criar loja' }).click();
  await page.getByText('Loja criada.').waitFor();

  await page.getByRole('button', { name: 'Gerar token' }).click();
  await page.getByText('Copie agora').waitFor();
  const token = await page.getByLabel('Token gerado', { exact: true }).innerText();
  t.match(token, /^pp_[\w-]{43}$/);
  const label = await watchTexts(page, '[aria-label="Copiar: Token gerado"]');
  await page.getByRole('button', { name: 'Copiar: Token gerado' }).click();
  await label('Copiado');
  t.equal(await page.evaluate('navigator.clipboard.readText()'), token, 'copied');
  await page.reload();
  await page.getByText('Válido', { exact: true }).waitFor();
  t.notMatch(await page.content(), token, 'shown once; a reload made no other');

  const body = { amount: 1234.56, webhookUrl: receiver.url, email: 'ana@example.com' };
  const { body: payment } = await system.api('/api-public/payments', { token, body });
  t.equal(payment.status, 'pending');

  await page.getByRole('link', { name: 'Pagamentos' }).first().click();
  await page.getByLabel('Buscar').fill(payment.id);
  await page.getByRole('button', { name: 'Filtrar' }).click();
  await page.getByRole('heading', { name: 'Pagamento de R$ 1.234,56' }).waitFor();
  await page.locator('#summary').getByText('Pendente').waitFor();
  await page.getByAltText('QR Code').waitFor();
  await page.waitForLoadState('load');
  await page.evaluate('document.querySelector(".qr").decode()');
  const copyAndPaste = await page.getByLabel('Pix copia e cola', { exact: true }).innerText();
  let loads = 0;
  page.on('load', () => {
    loads += 1;
  });

  const bank = await context.newPage();
  await bank.goto(system.bankUrl);
  await bank.getByLabel('Pix copia e cola').fill(copyAndPaste);
  await bank.getByRole('button', { name: 'Pagar' }).click();
  await bank.getByText('Pago: R$ 1.234,56').waitFor();
  await bank.close();

  await page.locator('#summary').getByText('Aprovado').waitFor();
  await page.locator('#timeline').getByText('O Pix chegou com o valor exato.').waitFor();
  await page.locator('#pix').getByText('Aprovou o pagamento').waitFor();
  await page.locator('#deliveries').getByText('Mudança de status').waitFor();
  await page.locator('#deliveries').getByText('HTTP 200').nth(1).waitFor();
  t.equal(await page.getByAltText('QR Code').count(), 0, 'what is paid shows no code');
  t.equal(await page.locator('[data-live-status]').innerText(), 'Status: Aprovado', 'and is read out');
  t.equal(loads, 0, 'all of it without a reload');

  await page.locator('#details').getByRole('link', { name: 'Café Açaí' }).click();
  await page.getByRole('link', { name: 'Loja', exact: true }).click();
  await page.getByText('Desativar loja').first().click();
  await page.getByRole('button', { name: 'Desativar loja' }).click();
  await page.getByText('Loja desativada.').waitFor();
  isError(t, await system.api('/api-public/payments', { token }), 403, 'Loja inativa.');

  await page.getByRole('button', { name: 'Sair' }).click();
  await page.getByRole('heading', { name: 'Entrar' }).waitFor();
  await page.goBack();
  await page.getByRole('heading', { name: 'Entrar' }).waitFor();
  t.strictSame(complaints, [], 'and the browser had nothing to complain about');
});
