import type { Examples } from '../../http/answers.ts';

/** Refunds as the documents show them. A test compares them with real ones, except for ids and times. */

const ordered = {
  id: '117537deb89071f88cff1d74d17e2fb3',
  paymentId: '0199f3a5-0e77-7b2c-b4d1-8c3e5a9f6027',
  endToEndId: 'E00000000202603021409a1B2c3D4e5F',
  amount: 50,
  status: 'requested',
  reason: 'requested',
  createdAt: '2026-03-05T10:20:00.000Z',
  updatedAt: '2026-03-05T10:20:00.000Z',
};

const takenBack = {
  ...ordered,
  id: 'MED4k2Lm9QxT7vBz0cWj3e',
  amount: 20,
  status: 'refunded',
  reason: 'returned_by_bank',
  createdAt: '2026-03-06T08:00:00.000Z',
  updatedAt: '2026-03-06T08:00:00.000Z',
};

export const refundExamples = {
  requests: {
    partial: { summary: 'A part', value: { amount: 5, reason: 'Produto com defeito' } },
    all: { summary: 'All that is left', value: {} },
  },
  ordered: { partial: { summary: 'A part of the payment', value: ordered } },
  listed: {
    refunds: {
      summary: 'A part by the store, and a part that the bank took back',
      value: {
        items: [takenBack, { ...ordered, status: 'refunded', updatedAt: '2026-03-05T10:20:01.200Z' }],
      },
    },
    none: { summary: 'Nothing went back', value: { items: [] } },
  },
} satisfies Record<string, Examples>;
