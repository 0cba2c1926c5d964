import { startReceiver } from '@payments/testing/receiver';
import { eventually, startSystem } from '@payments/testing/system';
import { Webhook } from 'standardwebhooks';
import t from 'tap';
import type { PanelClient } from '../panel-client.ts';
import { newPerson } from '../panel-people.ts';

/** A store's own panel: its start page, its token, its webhook secret, and the test of its receiver. */
const system = await startSystem({ env: { WEBHOOK_RETRY_SECONDS: '0.05' } });
t.teardown(system.stop);
const { admin, bank } = system;
const receiver = await startReceiver();
t.teardown(receiver.close);

const newStore = async (name: string) => (await admin('/admin/stores', { body: { name } })).body.id as string;
const personOf = (storeId: string, role: 'store_admin' | 'store_viewer' = 'store_admin') =>
  newPerson(system, { role, storeId });
const charge = async (storeId: string, body: object) =>
  (await admin(`/admin/stores/${storeId}/payments`, { body })).body;
const figureOf = (page: string, label: string) =>
  new RegExp(`<span>${label}</span>\\s*<strong>(?:<span class="money">)?([^<]+)<`).exec(page)?.[1];
const secretIn = (page: string) => /data-copy="(whsec_[^"]+)"/.exec(page)?.[1] ?? '';

t.test('the start page: what was sold, what waits, what failed', async (t) => {
  const [store, other] = [await newStore('Padaria'), await newStore('Vizinha')];
  const person = await personOf(store, 'store_viewer');
  const empty = (await person.get('/panel')).text;
  t.match(empty, '<span class="wrap">Padaria</span>');
  t.equal(figureOf(empty, 'Vendido hoje'), 'R$ 0,00');
  const paid = async (storeId: string, amount: number) => {
    const payment = await charge(storeId, { amount });
    await bank('/bank/pay', { pixCopiaECola: payment.qrCopyPaste });
    await eventually('an approval', async () =>
      (await admin(`/admin/payments/${payment.id}`)).body.status === 'approved' ? true : undefined,
    );
    return payment.id as string;
  };
  const id = await paid(store, 25.5);
  await paid(other, 1_000);
  receiver.answerWith(() => ({ status: 500 }));
  await charge(store, { amount: 10, webhookUrl: receiver.url });
  await eventually('a dead delivery', async () =>
    (await admin(`/admin/deliveries?state=dead&storeId=${store}`)).body.total === 1 ? true : undefined,
  );
  await bank('/bank/faults', { refuseRefunds: true });
  await admin(`/admin/payments/${id}/refunds`, { body: { amount: 1 } });
  await eventually('a refused refund', async () =>
    (await admin(`/admin/payments/${id}`)).body.refunds[0]?.state === 'failed' ? true : undefined,
  );
  await bank('/bank/faults', { refuseRefunds: false });
  receiver.answerWith(() => ({ status: 200 }));
  const page = (await person.get('/panel')).text;
  const figures = {
    'Vendido hoje': 'R$ 25,50',
    'Vendido neste mês': 'R$ 25,50',
    'Aguardam pagamento': '1',
    'Em análise': '0',
    'Entregas que falharam': '1',
    'Devoluções recusadas': '1',
  };
  for (const [label, value] of Object.entries(figures)) t.equal(figureOf(page, label), value, label);
  t.notMatch(page, /Vizinha|Pix sem pagamento|Conciliação|Bancos/);
  t.notMatch(page, 'Criar pagamento', 'who only reads makes none');
});

t.test('first steps: a line to copy, with the token once it is there', async (t) => {
  const store = await newStore('Nova');
  const person = await personOf(store);
  const tab = `/panel/stores/${store}/store`;
  const before = (await person.get(tab)).text;
  t.match(before, 'Primeiros passos');
  t.match(before, `curl ${system.url}/api-public/payments -H &#39;Authorization: Bearer SEU_TOKEN&#39;`);
  const issued = (await person.post(`/panel/stores/${store}/tokens`, {}, tab)).text;
  const token = /data-copy="(pp_[\w-]{43})"/.exec(issued)?.[1] ?? '';
  t.match(issued, `Bearer ${token}&#39;`);
  const [, line = ''] = /data-copy="(curl [^"]+ -d [^"]+)"/.exec(issued) ?? [];
  const body = /-d &#39;(.+)&#39;/.exec(line)?.[1]?.replaceAll('&quot;', '"') ?? '';
  const created = await system.api('/api-public/payments', { token, body: JSON.parse(body) });
  t.equal(created.status, 200, 'the line works');
  t.notMatch((await person.get(tab)).text, 'Primeiros passos', 'a store with payments knows the way');
  t.notMatch(
    (await (await personOf(store, 'store_viewer')).get(tab)).text,
    /Token de acesso|Segredo dos webhooks/,
  );
});

t.test('terms are shown to the store, and only the platform changes them', async (t) => {
  const { body: store } = await admin('/admin/stores', {
    body: { name: 'Termos', feePercent: 1.5, feeFixed: 0.3, reviewAbove: 500 },
  });
  const tab = (await (await personOf(store.id)).get(`/panel/stores/${store.id}/store`)).text;
  for (const text of ['1,5 %', 'R$ 0,30', 'R$ 3.000,00', 'R$ 500,00']) t.match(tab, `<dd>${text}</dd>`);
  t.notMatch(tab, /name="feePercent"|Desativar loja/);
});

/** Posts a form of a page that was loaded before, with the hidden fields that it has. */
function postOf(person: PanelClient, page: string, action: string) {
  const [form = ''] = new RegExp(`<form method="post" action="${action}["#].*?</form>`, 's').exec(page) ?? [];
  const hidden = [...form.matchAll(/type="hidden" name="([^"]+)" value="([^"]*)"/g)];
  return person.post(action, Object.fromEntries(hidden.map(([, name = '', value = '']) => [name, value])));
}

t.test(
  'a token that was generated since the page was loaded is not superseded without a warning',
  async (t) => {
    const store = await newStore('Duas pessoas');
    const [ana, rui] = [await personOf(store), await personOf(store)];
    const [tab, action] = [`/panel/stores/${store}/store`, `/panel/stores/${store}/tokens`];
    const loaded = async () => [(await ana.get(tab)).text, (await rui.get(tab)).text] as const;
    const use = async (token: string) => (await system.api('/api-public/payments', { token })).status;
    const warning = 'O token em uso deixa de funcionar imediatamente.';

    const [shownToAna, shownToRui] = await loaded();
    t.notMatch(shownToAna, warning);
    const first = /pp_[\w-]{43}/.exec((await postOf(rui, shownToRui, action)).text)?.[0] ?? '';
    const refused = await postOf(ana, shownToAna, action);
    t.equal(refused.status, 409);
    t.match(refused.text, 'Nenhum token foi gerado: outro foi gerado enquanto a página estava aberta.');
    t.notMatch(refused.text, 'Corrija o campo indicado');
    t.match(refused.text, warning, 'the page as it is now');
    t.equal(await use(first), 200);
    t.equal((await admin(`/admin/stores/${store}/tokens`)).body.items.length, 1);

    t.equal((await postOf(ana, refused.text, action)).status, 200, 'after the warning');
    t.equal(await use(first), 401);

    const [again, atOnce] = await loaded();
    const answers = await Promise.all([postOf(ana, again, action), postOf(rui, atOnce, action)]);
    t.strictSame(answers.map(({ status }) => status).sort(), [200, 409], 'one of two at the same moment');
    t.equal((await admin(`/admin/stores/${store}/tokens`)).body.items.length, 3);
  },
);

t.test('a secret that was replaced since the page was loaded is not replaced again', async (t) => {
  const store = await newStore('Dois segredos');
  const [ana, rui] = [await personOf(store), await personOf(store)];
  const tab = `/panel/stores/${store}/store`;
  const action = `/panel/stores/${store}/webhook-secret/rotate`;
  const loaded = async () => [(await ana.get(tab)).text, (await rui.get(tab)).text] as const;
  const secrets = async () => (await admin(`/admin/stores/${store}/webhook-secret`)).body;
  const rotations = async () =>
    (await admin(`/admin/changes?storeId=${store}`)).body.items.filter(
      ({ action }: { action: string }) => action === 'webhook_secret.rotated',
    ).length;

  const { secret: first } = await secrets();
  const [shownToAna, shownToRui] = await loaded();
  t.equal((await postOf(rui, shownToRui, action)).status, 200);
  const replaced = await secrets();
  t.equal(replaced.previousSecret, first);
  const refused = await postOf(ana, shownToAna, action);
  t.equal(refused.status, 409);
  t.match(refused.text, 'O segredo não foi trocado: ele já foi trocado enquanto a página estava aberta.');
  t.notMatch(refused.text, 'Corrija o campo indicado');
  t.strictSame(await secrets(), replaced, 'the only secret that the receiver has still signs');
  t.equal(await rotations(), 1);

  t.equal((await postOf(ana, refused.text, action)).status, 200, 'from the page as it is now');
  t.equal((await secrets()).previousSecret, replaced.secret);

  const [again, atOnce] = await loaded();
  const { secret: last } = await secrets();
  const answers = await Promise.all([postOf(ana, again, action), postOf(rui, atOnce, action)]);
  t.strictSame(answers.map(({ status }) => status).sort(), [200, 409], 'one of two at the same moment');
  t.equal((await secrets()).previousSecret, last);
});

/** Sends a test event to the URL. */
const test = (person: PanelClient, store: string, webhookUrl: string) =>
  person.post(`/panel/stores/${store}/test-event`, { webhookUrl }, `/panel/stores/${store}/store`);

t.test('a test event is signed like a real one, and the answer is shown', async (t) => {
  const store = await newStore('Teste');
  const person = await personOf(store);
  const tab = `/panel/stores/${store}/store`;
  receiver.answerWith(() => ({ status: 202, body: '<b>recebido</b>' }));
  const url = receiver.url.replace('/webhook', '/teste');
  const answer = await test(person, store, url);
  t.equal(answer.status, 200);
  t.match(answer.text, 'HTTP 202');
  t.match(answer.text, '&lt;b&gt;recebido&lt;/b&gt;');
  const { headers, body } = await receiver.waitFor(({ path }) => path === '/teste');
  const secret = secretIn((await person.post(`/panel/stores/${store}/webhook-secret/show`, {}, tab)).text);
  t.match(new Webhook(secret).verify(body, headers as Record<string, string>), {
    event: 'payment.created',
    status: 'pending',
    storeId: store,
  });
  receiver.answerWith(() => ({ status: 500 }));
  t.match((await test(person, store, receiver.url)).text, 'A entrega seria tentada de novo.');
  t.match((await test(person, store, 'http://127.0.0.1:1/')).text, 'Não foi possível conectar');
});

t.test('a test event goes to no internal address, and not too often', async (t) => {
  const store = await newStore('Curiosa');
  const person = await personOf(store);
  for (const url of [
    'http://10.0.0.1/',
    'http://0xa9fea9fe/',
    'http://[fd00::1]/',
    'ftp://a.example/',
    '',
    'x',
  ]) {
    const { status, text } = await test(person, store, url);
    t.equal(status, 400, url);
    t.match(text, 'id="webhookUrl-error"');
  }
  receiver.answerWith(() => ({ status: 302, headers: { location: 'http://10.0.0.1/' } }));
  t.match((await test(person, store, receiver.url)).text, 'HTTP 302', 'and follows no redirect');
  const before = receiver.received.length;
  const answers = [];
  for (let n = 0; n < 10; n += 1) answers.push(await test(person, store, receiver.url));
  t.equal(answers.at(-1)?.status, 429);
  t.equal(answers.at(-1)?.headers.get('retry-after'), '60');
  t.match(answers.at(-1)?.text, 'Muitos testes em pouco tempo.');
  const inCapitals = await test(person, store.toUpperCase(), receiver.url);
  t.equal(inCapitals.status, 429, 'however the store’s id is written');
  t.equal(receiver.received.length - before, 9, 'ten a minute');
});

t.test('a store whose receiver hangs delays no other’s test event', async (t) => {
  const [store, other] = [await newStore('Lenta'), await newStore('Rápida')];
  const [slow, quick] = [await personOf(store), await personOf(other)];
  const tested = Promise.withResolvers<void>();
  receiver.answerWith(({ path }) => ({ status: 200, ...(path === '/lenta' && { after: tested.promise }) }));
  const asked = Array.from({ length: 6 }, () =>
    test(slow, store, receiver.url.replace('/webhook', '/lenta')),
  );
  await receiver.waitFor(({ path }) => path === '/lenta');
  t.match((await test(quick, other, receiver.url)).text, 'HTTP 200');
  t.equal(receiver.received.filter(({ path }) => path === '/lenta').length, 1, 'one at a time');
  tested.resolve();
  for (const answer of await Promise.all(asked)) t.equal(answer.status, 200);
});

t.test('the body of each webhook is on its payment’s page, to the byte', async (t) => {
  const store = await newStore('Corpo');
  const person = await personOf(store, 'store_viewer');
  receiver.answerWith(() => ({ status: 200 }));
  const url = receiver.url.replace('/webhook', '/corpo');
  const { id } = await charge(store, { amount: 10, observation: 'a "b" <c> & ç', webhookUrl: url });
  const { body } = await receiver.waitFor(({ path }) => path === '/corpo');
  const { text } = await person.get(`/panel/payments/${id}`);
  const [, shown = ''] = /Corpo enviado<\/summary><code>([^<]+)<\/code>/.exec(text) ?? [];
  const names = { quot: '"', lt: '<', gt: '>', amp: '&' } as Record<string, string>;
  t.equal(
    shown.replaceAll(/&(quot|lt|gt|amp);/g, (_, name) => names[name] ?? ''),
    body,
  );
});

t.test('a delivery is sent again from its own store’s payment alone', async (t) => {
  const [store, other] = [await newStore('Minha'), await newStore('Outra')];
  const person = await personOf(store);
  const [mine, theirs] = [
    await charge(store, { amount: 10, webhookUrl: receiver.url }),
    await charge(other, { amount: 10 }),
  ];
  const { items } = (await admin(`/admin/deliveries?paymentId=${mine.id}`)).body;
  const again = (paymentId: string) =>
    person.post(`/panel/payments/${paymentId}/deliveries/${items[0].id}/redeliver`);
  t.equal((await again(theirs.id)).status, 404);
  const recorded = async () =>
    (await admin('/admin/changes')).body.items.filter(
      ({ action }: { action: string }) => action === 'delivery.redelivered',
    ).length;
  t.equal(await recorded(), 0, 'and nothing was sent');
  t.equal((await again(mine.id)).status, 303);
  t.equal(await recorded(), 1);
});
