import type { Examples } from '../../http/answers.ts';

/**
 * Requests and their responses, for a store with a fee of 1 %. A test sends every request and compares the
 * responses exactly, except for ids, times, codes and addresses.
 */

const webhookUrl = 'https://loja.example/webhooks/pix';
const storeId = '0199f39e-11b0-7c55-9e02-6d8a3b1c5f74';
const images = 'https://pagamentos.example/qr';

const minimal = { amount: 19.9 };
const optional = { reference: 'pedido-1042', expiresIn: 3_600, description: 'Dois livros' };
const complete = {
  amount: 150,
  email: 'cliente@example.com',
  observation: 'Pedido 1042',
  webhookUrl,
  ...optional,
};

const createdMinimal = {
  id: '0199f3a2-6c1e-7d40-8a5b-2f9c4e7d1b36',
  status: 'pending',
  ...minimal,
  feeAmount: 0.2,
  liquidValue: 19.7,
  storeId,
  createdAt: '2026-03-02T14:05:09.120Z',
  observation: null,
  email: null,
  qrCodeUrl: `${images}/0199f3a2-6c1e-7d40-8a5b-2f9c4e7d1b36.png`,
  qrCopyPaste:
    '00020101021226640014br.gov.bcb.pix2542pix.example.com/qr/v2/4f1c2a90d7b84e3fa6c5' +
    '5204000053039865802BR5912LOJA EXEMPLO6009SAO PAULO62070503***630409D1',
  isPublic: true,
};

/** As webhooks show it. */
const announced = {
  id: '0199f3a5-0e77-7b2c-b4d1-8c3e5a9f6027',
  status: 'pending',
  amount: complete.amount,
  feeAmount: 1.5,
  liquidValue: 148.5,
  storeId,
  createdAt: '2026-03-02T14:08:01.655Z',
  observation: complete.observation,
  email: complete.email,
  qrCodeUrl: `${images}/0199f3a5-0e77-7b2c-b4d1-8c3e5a9f6027.png`,
  qrCopyPaste:
    '00020101021226640014br.gov.bcb.pix2542pix.example.com/qr/v2/9b7e0d3c51f24a68b2e4' +
    '5204000053039865802BR5912LOJA EXEMPLO6009SAO PAULO62070503***63041E37',
  isPublic: true,
};

const pending = { ...createdMinimal, webhookUrl: null };
const approved = { ...announced, status: 'approved', webhookUrl, ...optional };

const nextCursor = 'AAAEAAAAAuQAAAABAZnzombBgAKLelXgyT0fKE__________jQv7OA';
const pix = {
  endToEndId: 'E00000000202603021409a1B2c3D4e5F',
  amount: complete.amount,
  paidAt: '2026-03-02T14:09:30.000Z',
};

export const requestExamples: Examples = {
  minimal: { summary: 'Only an amount', value: minimal },
  complete: { summary: 'All fields', value: complete },
};

export const createdExamples: Examples = {
  minimal: { summary: 'Only an amount', value: createdMinimal },
  complete: { summary: 'All fields', value: { ...announced, ...optional } },
  withoutCode: {
    summary: 'The bank did not answer in time; reads show the code as soon as it has',
    value: { ...createdMinimal, qrCodeUrl: null, qrCopyPaste: null },
  },
};

export const readExamples: Examples = {
  pending: { summary: 'Waiting for the customer', value: pending },
  approved: { summary: 'Paid', value: approved },
  withPix: { summary: 'Paid, with `include=pix`', value: { ...approved, refundedAmount: 0, pix: [pix] } },
};

export const cancelledExamples: Examples = {
  cancelled: { summary: 'Cancelled by the store', value: { ...pending, status: 'not_approved' } },
};

export const listExamples: Examples = {
  firstPage: {
    summary: 'All payments, newest first',
    value: { items: [approved, pending], page: 1, limit: 50, total: 2 },
  },
  none: { summary: 'No payment has the status', value: { items: [], page: 1, limit: 50, total: 0 } },
};

export const eventExamples = {
  created: { summary: 'A payment was created', value: { event: 'payment.created', ...announced } },
  approved: {
    summary: 'The customer paid',
    value: {
      event: 'payment.status_changed',
      ...announced,
      status: 'approved',
      previousStatus: 'pending',
    },
  },
  review: {
    summary: 'Another amount than the charge’s was paid',
    value: {
      event: 'payment.status_changed',
      ...announced,
      status: 'review',
      previousStatus: 'pending',
    },
  },
  updated: {
    summary: 'A part went back',
    value: {
      event: 'payment.updated',
      ...announced,
      status: 'approved',
      amount: 75,
      feeAmount: 0.75,
      liquidValue: 74.25,
      previous: { amount: 150, feeAmount: 1.5, liquidValue: 148.5 },
    },
  },
  refunded: {
    summary: 'A refund was made',
    value: {
      event: 'refund.updated',
      refund: {
        id: '4f1c8a5e0d7b46c2913fa0e6b85d2c74',
        paymentId: announced.id,
        endToEndId: 'E12345678202603021407a1b2c3d4e5f',
        amount: announced.amount / 2,
        status: 'refunded',
        reason: 'requested',
        createdAt: '2026-03-02T15:00:00.000Z',
        updatedAt: '2026-03-02T15:00:03.250Z',
      },
      previousStatus: 'requested',
    },
  },
} satisfies Examples;

export const feedExamples: Examples = {
  page: {
    summary: 'A payment was created and paid',
    value: {
      items: [
        {
          id: '0199f3a2-6c1e-8001-8d2f-91b6e4a07c53',
          type: 'payment.created',
          occurredAt: announced.createdAt,
          paymentId: announced.id,
          body: eventExamples.created.value,
        },
        {
          id: '0199f3a2-6c1e-8002-8b7a-5e0c93d1f284',
          type: 'payment.status_changed',
          occurredAt: '2026-03-02T14:09:31.500Z',
          paymentId: announced.id,
          body: eventExamples.approved.value,
        },
      ],
      next: nextCursor,
    },
  },
  nothingNew: { summary: 'Nothing happened since', value: { items: [], next: nextCursor } },
};
