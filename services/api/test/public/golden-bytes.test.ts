import { startReceiver } from '@payments/testing/receiver';
import { eventually, startSystem } from '@payments/testing/system';
import t from 'tap';

/**
 * The exact bytes of a store that uses nothing beyond the contract: names, order, numbers and nulls. Only what each
 * payment has of its own is filled in.
 */
const system = await startSystem();
t.teardown(system.stop);
const { PUBLIC_URL: publicUrl } = system.env;
const path = '/api-public/payments';

type Own = { id: string; createdAt: string; qrCopyPaste: string; storeId: string; webhookUrl: string };

/** Fills a text's places in with what the payment has of its own. */
const filled = (golden: string, own: Own) =>
  golden
    .replaceAll('{qrCodeUrl}', `${publicUrl}/qr/${own.id}.png`)
    .replace(/\{(\w+)\}/g, (_place, name: keyof Own) => own[name]);

const paymentOf = (status: string, amount: string, rest: string) =>
  `"id":"{id}","status":"${status}","amount":${amount},"storeId":"{storeId}","createdAt":"{createdAt}",${rest},"qrCodeUrl":"{qrCodeUrl}","qrCopyPaste":"{qrCopyPaste}","isPublic":true`;

/** Two stores and payments: with all that the contract lets a creation say, and with the amount alone. */
const cases = {
  'all fields': {
    terms: { feePercent: 1.5, feeFixed: 0.4 },
    fields: { email: 'ana@example.com', observation: 'pedido 7 – “ação” 🎉\n"\\' },
    rest: '"observation":"pedido 7 – “ação” 🎉\\n\\"\\\\","email":"ana@example.com"',
    money: {
      whole: '80.4,"feeAmount":1.61,"liquidValue":78.79',
      left: '60,"feeAmount":1.3,"liquidValue":58.7',
    },
  },
  'amount alone': {
    terms: {},
    fields: {},
    rest: '"observation":null,"email":null',
    money: {
      whole: '80.4,"feeAmount":null,"liquidValue":null',
      left: '60,"feeAmount":null,"liquidValue":null',
    },
  },
};

for (const [name, { terms, fields, rest, money }] of Object.entries(cases)) {
  t.test(name, async (t) => {
    const receiver = await startReceiver();
    t.teardown(receiver.close);
    const { id: storeId, token } = await system.createStore(terms);
    const webhookUrl = receiver.url;
    const created = await system.api(path, { token, body: { amount: 80.4, ...fields, webhookUrl } });
    const { id, createdAt, qrCopyPaste } = created.body;
    const own: Own = { id, createdAt, qrCopyPaste: qrCopyPaste!, storeId, webhookUrl };
    const pending = paymentOf('pending', money.whole, rest);
    t.equal(created.text, filled(`{${pending}}`, own), 'the create response');

    const isRead = async (payment: string) => {
      const one = `{${payment},"webhookUrl":"{webhookUrl}"}`;
      t.equal((await system.api(`${path}/${id}`, { token })).text, filled(one, own), 'a read');
      const page = `{"items":[${one}],"page":1,"limit":50,"total":1}`;
      t.equal((await system.api(path, { token })).text, filled(page, own), 'a list');
    };
    await isRead(pending);

    await system.bank('/bank/pay', { pixCopiaECola: qrCopyPaste });
    const [first, second] = await receiver.waitForCount(2);
    t.equal(first?.body, filled(`{"event":"payment.created",${pending}}`, own));
    const approved = paymentOf('approved', money.whole, rest);
    const event = 'payment.status_changed';
    const changed = `{"event":"${event}",${approved},"previousStatus":"pending"}`;
    t.equal(second?.body, filled(changed, own));
    await isRead(approved);

    // A part goes back, which only a store that asks is told: then all, which the status tells.
    const refund = (body: object) => system.admin(`/admin/payments/${id}/refunds`, { body });
    await refund({ amount: 20.4 });
    await untilRefunds(id, 1);
    await isRead(paymentOf('approved', money.left, rest));
    await refund({});
    const [, , third] = await receiver.waitForCount(3);
    const refused = paymentOf('not_approved', money.whole, rest);
    t.equal(third?.body, filled(`{"event":"${event}",${refused},"previousStatus":"approved"}`, own));
    await isRead(refused);
  });
}

/** Waits until so many of a payment's refunds are made. */
const untilRefunds = (id: string, count: number) =>
  eventually(`${count} refunds`, async () => {
    const { refunds } = (await system.admin(`/admin/payments/${id}`)).body;
    return (
      refunds.filter(({ state }: { state: string }) => state === 'refunded').length === count || undefined
    );
  });
