import { formatAmount } from '@payments/pix/amount';
import { buildBrCode } from '@payments/pix/brcode';
import type { StoredCharge, StoredPix, StoredRefund, StoredWebhook } from './ledger.ts';

/** How the API Pix shows a charge (2.9, `CobGerada`). */
export function showCharge(charge: StoredCharge, options: { merchantName: string; withCode: boolean }) {
  const { txid, terms, location } = charge;
  const criacao = instant(charge.createdAt);
  return {
    ...terms,
    calendario: { criacao, expiracao: terms.calendario.expiracao },
    txid,
    revisao: charge.revision,
    loc: { id: charge.locationId, location, tipoCob: 'cob', criacao },
    location,
    status: charge.status,
    ...(options.withCode && { pixCopiaECola: codeOf(charge, options.merchantName) }),
  };
}

export function codeOf(charge: StoredCharge, merchantName: string): string {
  return buildBrCode({ location: charge.location, merchantName, merchantCity: 'SAO PAULO' });
}

/** `Pix` of the API Pix 2.9. */
export function showPix(pix: StoredPix) {
  return {
    endToEndId: pix.endToEndId,
    txid: pix.txid,
    valor: formatAmount(pix.amount),
    componentesValor: { original: { valor: formatAmount(pix.amount) } },
    chave: pix.key,
    horario: instant(pix.paidAt),
    ...(pix.refunds.length > 0 && { devolucoes: pix.refunds.map(showRefund) }),
  };
}

/** `Devolucao` of the API Pix 2.9. */
export function showRefund(refund: StoredRefund) {
  const settled = refund.status !== 'EM_PROCESSAMENTO';
  return {
    id: refund.id,
    rtrId: refund.rtrId,
    valor: formatAmount(refund.amount),
    natureza: refund.nature,
    ...(refund.description !== null && { descricao: refund.description }),
    horario: {
      solicitacao: instant(refund.requestedAt),
      ...(settled && { liquidacao: instant(refund.settlesAt) }),
    },
    status: refund.status,
    ...(settled && refund.reason !== null && { motivo: refund.reason }),
  };
}

export function showWebhook(webhook: StoredWebhook) {
  return { webhookUrl: webhook.url, chave: webhook.key, criacao: instant(webhook.createdAt) };
}

export function instant(time: number): string {
  return new Date(time).toISOString();
}
