import type { HistoryEntry } from '@payments/database/history';

const actors: Record<string, string> = {
  store: 'Loja',
  administrator: 'Administração',
  psp: 'Banco',
  expiry: 'Expiração',
  'review-timeout': 'Prazo da análise',
};

const reasons: Record<string, string> = {
  paid: 'O Pix chegou com o valor exato.',
  late: 'O Pix chegou depois do fim da cobrança.',
  amount_differs: 'O valor do Pix é diferente do valor do pagamento.',
  review_above: 'O valor alcança o limite de análise da loja.',
  expired: 'Não foi pago a tempo.',
  review_timeout: 'A análise não foi decidida a tempo; o valor foi devolvido.',
};

const refundReasons: Record<string, string> = {
  second_pix: 'Segundo Pix para a mesma cobrança',
  rejected: 'Rejeitado na análise',
  review_timeout: 'Prazo da análise esgotado',
  bank: 'Pedida pelo banco',
};

const effects: Record<string, string> = {
  approved: 'Aprovou o pagamento',
  review: 'Levou à análise',
  refund: 'Foi devolvido',
};

const stages: Record<string, string> = {
  url: 'URL inválida',
  address: 'Endereço não permitido',
  dns: 'Nome não encontrado',
  connect: 'Não foi possível conectar',
  tls: 'Falha no TLS',
  timeout: 'Tempo esgotado',
  response: 'Resposta inválida',
};

/** Names of what the service records, for people; what has none is shown as it is. */
export const actorName = (actor: string): string => actors[actor] ?? actor;
export const refundReason = (reason: string): string => refundReasons[reason] ?? reason;
export const stageName = (stage: string): string => stages[stage] ?? stage;
export const effectName = (effect: string): string => effects[effect] ?? effect;

/** @returns why a change happened; a person's own words are left as they are */
export function reasonOf({ actor, reason }: Pick<HistoryEntry, 'actor' | 'reason'>): string | null {
  return reason !== null && actor !== 'administrator' ? (reasons[reason] ?? reason) : reason;
}

/** @returns why a payment is in review */
export const reviewReason = (reason: string | null): string =>
  reason === null ? '' : (reasons[reason] ?? reason);
