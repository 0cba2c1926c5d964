import type { Banks } from '@payments/pix/banks';
import t from 'tap';
import { atBankOf, type SettlementContext } from '../src/context.ts';

const client = {};
const banks = { find: (id: string) => (id === 'efi' ? { id, client } : undefined) } as unknown as Banks;
const context = { banks, publicUrl: 'https://pay.example.com' } as SettlementContext;

t.test('a payment is settled at its bank', async (t) => {
  t.strictSame(atBankOf(context, 'efi'), { ...context, bank: 'efi', pix: client });
});

t.test('of a bank that is not configured, nothing is asked', async (t) => {
  const notAsked = { name: 'PixUnavailable', reason: 'not-configured', isNotAsked: true };
  t.throws(() => atBankOf(context, 'bb'), { ...notAsked, message: /\(bb\)$/ });
  t.throws(() => atBankOf(context, null), { ...notAsked, message: /\(no bank has the charge\)$/ });
});
