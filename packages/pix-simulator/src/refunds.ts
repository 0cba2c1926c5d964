import type { Bank } from './bank.ts';
import { newReturnId } from './identifiers.ts';
import type { StoredPix, StoredRefund } from './ledger.ts';
import { Problem } from './problem.ts';

export type RefundRequest = { id: string; amount: number; nature: string; description: string | null };

/** How a refund ends. Defaults come from the bank's faults. */
export type RefundCourse = { slowMs?: number | undefined; refused?: boolean | undefined };

const INVALID = 'PixDevolucaoInvalida';
const NINETY_DAYS_MS = 90 * 24 * 60 * 60 * 1000;

export function findPix(bank: Bank, endToEndId: string): StoredPix {
  settleDue(bank);
  const pix = bank.ledger.pix.get(endToEndId);
  if (!pix) throw new Problem(404, 'PixNaoEncontrado', 'Pix não encontrado para o e2eid informado.');
  return pix;
}

/** Sends money back; `amount` in centavos. Throws Problem (API Pix 2.9, `PixDevolucaoInvalida`). */
export function requestRefund(
  bank: Bank,
  pix: StoredPix,
  request: RefundRequest,
  { slowMs = bank.faults.slowRefundsMs, refused = isRefused(bank, pix) }: RefundCourse = {},
): StoredRefund {
  checkRefund(bank, pix, request);
  const now = bank.clock.now();
  const refund: StoredRefund = {
    ...request,
    rtrId: newReturnId(now),
    requestedAt: now,
    status: 'EM_PROCESSAMENTO',
    outcome: refused ? 'NAO_REALIZADO' : 'DEVOLVIDO',
    settlesAt: now + slowMs,
    reason: refused ? 'Recusada pelo PSP do pagador' : null,
  };
  bank.ledger.save({ pix: { ...pix, refunds: [...pix.refunds, refund] } });
  settleDue(bank);
  return findRefund(bank, pix.endToEndId, refund.id);
}

export function findRefund(bank: Bank, endToEndId: string, id: string): StoredRefund {
  const refund = findPix(bank, endToEndId).refunds.find((one) => one.id === id);
  if (!refund) throw new Problem(404, 'PixDevolucaoNaoEncontrada', 'Devolução não encontrada.');
  return refund;
}

/** Ends the refunds whose time has come, and reports them. Cheap when none is open. */
export function settleDue(bank: Bank): void {
  for (const pix of bank.ledger.unsettled()) {
    const due = pix.refunds.filter((refund) => isDue(refund, bank.clock.now()));
    if (due.length === 0) continue;
    const refunds = pix.refunds.map((one) => (due.includes(one) ? { ...one, status: one.outcome } : one));
    const settled = { ...pix, refunds };
    bank.ledger.save({ pix: settled });
    bank.callbacks.report(settled);
  }
}

/** Centavos that can still go back. Refunds under way count as gone. */
export function remainder(pix: StoredPix): number {
  const gone = pix.refunds.filter((refund) => refund.status !== 'NAO_REALIZADO');
  return gone.reduce((left, refund) => left - refund.amount, pix.amount);
}

function isRefused({ faults }: Bank, { refusesRefunds = false }: StoredPix): boolean {
  return faults.refuseRefunds || refusesRefunds;
}

function isDue(refund: StoredRefund, now: number): boolean {
  return refund.status === 'EM_PROCESSAMENTO' && refund.settlesAt <= now;
}

function checkRefund(bank: Bank, pix: StoredPix, request: RefundRequest): void {
  if (pix.refunds.some((refund) => refund.id === request.id))
    refuse('O id já foi usado por outra devolução.');
  if (request.amount <= 0) refuse('O valor da devolução é zero.');
  if (request.amount > remainder(pix)) refuse('As devoluções excederiam o valor do Pix.');
  if (bank.clock.now() > pix.paidAt + NINETY_DAYS_MS) refuse('O prazo de 90 dias para devolver passou.');
}

function refuse(detail: string): never {
  throw new Problem(400, INVALID, detail);
}
