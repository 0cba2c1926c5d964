import t from 'tap';
import type { Window } from '../../src/faults/fault.ts';
import { oneBank } from '../../src/promises/bank-facts.ts';
import { bankOfCode } from '../../src/system/banks.ts';
import { caseOf, type HandMade } from '../hand-made.ts';

const closed: HandMade = { status: 'not_approved', amount: 10 };
const createdAt = Date.parse('2026-11-23T12:00:00Z');

const findings = (made: HandMade, windows: Window[] = []) =>
  oneBank({ ...caseOf(made), windows }).map(({ says }) => says);

const hung = (from: number, to: number): Window => {
  const at = { from: createdAt + from * 1_000, to: createdAt + to * 1_000 };
  return { fault: 'bank-hangs', target: 'efi', kind: 'simulator', ...at };
};

t.test('a charge that another bank took unheard must be removed there', async (t) => {
  const left = (status: string): HandMade => ({ ...closed, leftovers: [{ bank: 'efi', status }] });
  t.same(findings(left('REMOVIDA_PELO_USUARIO_RECEBEDOR')), []);
  t.same(findings(left('CONCLUIDA')), []);
  t.match(findings(left('ATIVA')), [/efi took it unheard, and its charge there was not removed/]);
  t.match(findings(left('ATIVA'), [hung(-10, 2)]), [/not removed/], 'a fault that was over is no excuse');
  t.same(findings(left('ATIVA'), [hung(14, 20)]), [], 'a bank that hung could not be asked');
});

t.test('a payment shows one code', async (t) => {
  t.same(findings({ ...closed, code: 'a code' }), []);
  t.match(findings({ ...closed, code: 'another code' }), [/2 codes of it were shown/]);
});

t.test('a code tells its bank', async (t) => {
  t.equal(bankOfCode('00020101…5908LOJA EFI6009SAO PAULO'), 'efi');
  t.equal(bankOfCode('00020101…5907LOJA BB6009SAO PAULO'), 'bb');
  t.equal(bankOfCode(''), undefined);
});
