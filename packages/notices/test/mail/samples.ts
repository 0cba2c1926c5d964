import type { Collected, Notice, NoticeKind } from '../../src/kinds.ts';
import type { PersonalNotice } from '../../src/personal.ts';
import type { Surroundings } from '../../src/sending.ts';

/** One notice of each kind, and every mail to the person concerned. */

export const storeId = '0199c0de-0000-7000-8000-00000000000a';
export const paymentId = '0199c0de-0000-7000-8000-000000000001';
const endToEndId = 'E1234567820261126173205AbCdEf12345';
const refundId = '0199c0de-0000-7000-8000-0000000000f1';

export const around: Surroundings = {
  panelUrl: 'https://painel.pix.example',
  reviewTimeoutSeconds: 1_800,
  storeNames: new Map([[storeId, 'Café & Cia <Centro>']]),
};

const occurredAt = new Date('2026-11-26T17:02:05Z');
const base = { key: 'key', storeId, occurredAt };

export const samples: { [Kind in NoticeKind]: Extract<Notice, { kind: Kind }> } = {
  review_waiting: {
    ...base,
    kind: 'review_waiting',
    facts: { paymentId, amount: 25_000, reason: 'amount_differs' },
  },
  refund_owed: {
    ...base,
    kind: 'refund_owed',
    facts: { endToEndId, refundId, paymentId, amount: 123_456 },
  },
  returned_by_bank: {
    ...base,
    kind: 'returned_by_bank',
    facts: { endToEndId, refundId, paymentId, amount: 990, reason: 'MED_FRAUDE' },
  },
  unmatched_pix: {
    ...base,
    storeId: null,
    kind: 'unmatched_pix',
    facts: { endToEndId, bank: 'efi', amount: 4_200 },
  },
  endpoint_failing: {
    ...base,
    kind: 'endpoint_failing',
    facts: { endpointId: storeId, host: 'webhooks.loja.example', failures: 10 },
  },
  bank_failing: { ...base, storeId: null, kind: 'bank_failing', facts: { bank: 'efi' } },
  reconciliation_differs: {
    ...base,
    storeId: null,
    kind: 'reconciliation_differs',
    facts: { bank: 'efi', date: '2026-11-25', differences: 3 },
  },
  certificate_expires: {
    ...base,
    storeId: null,
    kind: 'certificate_expires',
    facts: { bank: 'bb', date: '2026-12-10' },
  },
};

/** @returns so many notices of a kind, a minute apart, of which the letter has the first ones at hand */
export function collected(kind: NoticeKind, total = 1, atHand = total): Collected {
  const notices = Array.from({ length: atHand }, (_, index) => ({
    ...samples[kind],
    occurredAt: new Date(occurredAt.getTime() + index * 60_000),
  }));
  return { kind, notices, total };
}

const origin = { address: '203.0.113.7', browser: 'Chrome no Windows' };
const at = '2026-11-26T17:02:05.000Z';
const until = '2026-11-29T17:02:05.000Z';
const name = 'Ana <Souza>';
const link = 'https://painel.pix.example/panel/invitation/abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG';

const changed = (facts: object) =>
  ({ kind: 'access_changed', facts: { name, at, origin, ...facts }, link: null }) as PersonalNotice;

export const personal: Record<string, PersonalNotice> = {
  invitation: { kind: 'invitation', facts: { name, until }, link },
  'password asked for': { kind: 'password_reset', facts: { name, until, asked: true }, link },
  'password by an owner': { kind: 'password_reset', facts: { name, until, asked: false }, link },
  role: changed({ change: 'role', role: 'store_admin', store: 'Café & Cia <Centro>', origin: null }),
  deactivated: changed({ change: 'active', active: false, origin: null }),
  activated: changed({ change: 'active', active: true, origin: null }),
  key: changed({ change: 'key_made', key: 'ERP <produção>' }),
  token: changed({ change: 'token_made', store: 'Café & Cia <Centro>' }),
  password: changed({ change: 'password' }),
  'factor on': changed({ change: 'second_factor_on' }),
  'factor off': changed({ change: 'second_factor_off' }),
  'passkey added': changed({ change: 'passkey_added' }),
  'passkey removed': changed({ change: 'passkey_removed' }),
  place: changed({ change: 'new_place', origin: { address: '2001:db8::1', browser: null } }),
};
