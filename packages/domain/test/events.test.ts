import t from 'tap';
import { essenceOf, webhookBody } from '../src/events.ts';
import {
  includedView,
  type Payment,
  paymentCreatedView,
  paymentReadView,
  paymentView,
} from '../src/payment.ts';
import type { RefundView } from '../src/refunds.ts';

const payment: Payment = {
  id: '0190a5b0-1234-7abc-8def-0123456789ab',
  storeId: '0190a5b0-0000-7abc-8def-0123456789ab',
  status: 'approved',
  amount: 15_075,
  feeAmount: 266,
  liquidValue: 14_809,
  observation: 'ação “7” 🎉',
  email: 'ana@example.com',
  webhookUrl: 'https://loja.example/pix',
  isPublic: true,
  copyAndPaste: '00020126',
  reference: null,
  expiresIn: null,
  description: null,
  createdAt: new Date('2026-11-21T12:00:00.007Z'),
};
const view = {
  id: payment.id,
  status: 'approved',
  amount: 150.75,
  feeAmount: 2.66,
  liquidValue: 148.09,
  storeId: payment.storeId,
  createdAt: '2026-11-21T12:00:00.007Z',
  observation: 'ação “7” 🎉',
  email: 'ana@example.com',
  qrCodeUrl: `https://pay.example/qr/${payment.id}.png`,
  qrCopyPaste: '00020126',
  isPublic: true,
};

t.test('a payment in the create response and in webhooks', async (t) => {
  t.strictSame(paymentView(payment, 'https://pay.example'), view);
});

t.test('a payment in read responses, with webhookUrl', async (t) => {
  const read = paymentReadView(payment, 'https://pay.example');
  t.strictSame(read, { ...view, webhookUrl: 'https://loja.example/pix' });
});

t.test('the optional fields: shown where they were given, and never in webhooks', async (t) => {
  const given = { reference: 'pedido-1042', expiresIn: 600, description: 'Dois livros' };
  const named = { ...payment, ...given };
  t.strictSame(paymentCreatedView(payment, 'https://pay.example'), view);
  t.strictSame(paymentCreatedView(named, 'https://pay.example'), { ...view, ...given });
  t.match(paymentReadView(named, 'https://pay.example'), given);
  t.strictSame(paymentView(named, 'https://pay.example'), view);
});

t.test('what reads add on demand, in reais', async (t) => {
  t.strictSame(includedView({ refundedAmount: 0, pix: [] }), { refundedAmount: 0, pix: [] });
  const pix = { endToEndId: 'E1', amount: 15_075, paidAt: new Date('2026-11-21T12:00:00.007Z') };
  const view = { endToEndId: 'E1', amount: 150.75, paidAt: '2026-11-21T12:00:00.007Z' };
  t.strictSame(includedView({ refundedAmount: 1, pix: [pix] }), { refundedAmount: 0.01, pix: [view] });
});

t.test('a missing value is null, not absent', async (t) => {
  const bare = {
    ...payment,
    feeAmount: null,
    liquidValue: null,
    observation: null,
    email: null,
    webhookUrl: null,
    copyAndPaste: null,
  };
  const nothing = { feeAmount: null, liquidValue: null, observation: null, email: null };
  t.strictSame(paymentReadView(bare, 'https://pay.example'), {
    ...view,
    ...nothing,
    qrCodeUrl: null,
    qrCopyPaste: null,
    webhookUrl: null,
  });
});

t.test('a fee of zero is 0, not null', async (t) => {
  t.match(paymentView({ ...payment, feeAmount: 0, liquidValue: 0 }, ''), { feeAmount: 0, liquidValue: 0 });
});

const bare = { previousStatus: null, previous: null, refund: null };

t.test('the body of payment.created', async (t) => {
  const shown = paymentView({ ...payment, status: 'pending' }, 'https://pay.example');
  const body = webhookBody({ ...bare, type: 'payment.created', payment: JSON.stringify(shown) });
  t.strictSame(JSON.parse(body), { event: 'payment.created', ...view, status: 'pending' });
  t.ok(body.startsWith('{"event":"payment.created","id":'), 'the event comes first');
});

t.test('the body of payment.status_changed', async (t) => {
  const shown = paymentView(payment, 'https://pay.example');
  const body = webhookBody({
    ...bare,
    type: 'payment.status_changed',
    payment: JSON.stringify(shown),
    previousStatus: 'pending',
  });
  t.strictSame(JSON.parse(body), { event: 'payment.status_changed', ...view, previousStatus: 'pending' });
});

t.test('the body of payment.updated has the earlier values', async (t) => {
  const shown = paymentView(payment, 'https://pay.example');
  const previous = { qrCodeUrl: null, qrCopyPaste: null };
  const body = webhookBody({
    ...bare,
    type: 'payment.updated',
    payment: JSON.stringify(shown),
    previous: JSON.stringify(previous),
  });
  t.strictSame(JSON.parse(body), { event: 'payment.updated', ...view, previous });
});

const refund: RefundView = {
  id: 'R1',
  paymentId: payment.id,
  endToEndId: 'E1',
  amount: 50.25,
  status: 'refunded',
  reason: 'requested',
  createdAt: '2026-11-21T12:00:00.007Z',
  updatedAt: '2026-11-21T12:00:01.007Z',
};

t.test('the body of refund.updated has the refund in the place of the payment', async (t) => {
  const body = webhookBody({
    type: 'refund.updated',
    payment: JSON.stringify(paymentView(payment, 'https://pay.example')),
    previousStatus: 'processing',
    previous: null,
    refund: JSON.stringify(refund),
  });
  t.strictSame(JSON.parse(body), { event: 'refund.updated', refund, previousStatus: 'processing' });
});

const shown = paymentView(payment, 'https://pay.example');
const uncoded = { ...shown, qrCopyPaste: null };
type Told = Parameters<typeof essenceOf>[0];
const essences: [what: string, told: Told, essence: string][] = [
  ['a refund', { type: 'refund.updated', payment: shown, refund }, 'E1/R1/refunded/50.25'],
  ['a creation', { type: 'payment.created', payment: { ...shown, status: 'pending' } }, 'pending'],
  ['a new status', { type: 'payment.status_changed', payment: shown }, 'approved'],
  ['a code that came', { type: 'payment.updated', payment: shown }, '150.75/with a code'],
  ['a new amount, without a code', { type: 'payment.updated', payment: uncoded }, '150.75/without a code'],
];
for (const [what, told, essence] of essences) {
  t.test(`an event’s essence: ${what}`, async (t) => t.equal(essenceOf(told), essence));
}
