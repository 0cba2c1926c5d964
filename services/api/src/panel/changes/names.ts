import type { ChangeAction, ChangedValues } from '@payments/database/operations/change-actions';
import { statusNames } from '../page/badge.ts';
import { formatBrl } from '../page/money.ts';
import { timeText } from '../page/time.ts';

const actions: Record<ChangeAction, string> = {
  'store.created': 'Loja criada',
  'store.changed': 'Loja alterada',
  'token.created': 'Token gerado',
  'token.deactivated': 'Token desativado',
  'webhook_secret.shown': 'Segredo dos webhooks mostrado',
  'webhook_secret.rotated': 'Segredo dos webhooks trocado',
  'payment.created': 'Pagamento criado',
  'payment.status_changed': 'Status alterado',
  'refund.ordered': 'Devolução pedida',
  'refund.ordered_anew': 'Devolução pedida de novo',
  'refund.withdrawn': 'Devolução retirada',
  'delivery.redelivered': 'Entrega enviada de novo',
  'deliveries.redelivered': 'Entregas enviadas de novo',
  'bank.paused': 'Banco pausado',
  'bank.resumed': 'Banco retomado',
  'endpoint.released': 'Destino liberado',
  'key.created': 'Chave criada',
  'key.deleted': 'Chave apagada',
  'person.erased': 'Pessoa apagada',
  'account.created': 'Conta criada',
  'account.changed': 'Conta alterada',
  'account.invited': 'Novo convite para a conta',
  'account.password_set': 'Senha definida',
  'account.second_factor_on': 'Segundo fator ativado',
  'account.second_factor_off': 'Segundo fator desativado',
  'account.recovery_code_used': 'Código de recuperação usado',
  'account.sessions_ended': 'Sessões encerradas',
  sign_in: 'Entrada no painel',
  sign_in_refused: 'Entrada recusada',
  sign_out: 'Saída do painel',
  'admin_key.used': 'Entrada com a chave de administração',
};

const fields: Record<string, string> = {
  name: 'nome',
  active: 'ativa',
  feePpm: 'taxa percentual',
  feeFixed: 'taxa fixa',
  maxAmount: 'valor máximo',
  reviewAbove: 'analisar a partir de',
  banks: 'bancos',
  role: 'perfil',
  storeId: 'loja',
  sessions: 'sessões',
  cause: 'motivo',
  amount: 'valor',
  expiresAt: 'expira em',
  status: 'status',
  state: 'status',
  redelivered: 'entregas',
  since: 'desde',
  failures: 'falhas',
  phase: 'fase',
  refundId: 'devolução',
};

const moments = new Set(['expiresAt', 'since']);
const amounts = new Set(['feeFixed', 'maxAmount', 'reviewAbove', 'amount']);

export const actionName = (action: ChangeAction): string => actions[action];

/** @returns named values in words: `taxa fixa: R$ 0,30, ativa: sim` */
export function valuesText(values: ChangedValues | null): string {
  const texts = Object.entries(values ?? {}).map(
    ([name, value]) => `${fields[name] ?? name}: ${valueText(name, value)}`,
  );
  return texts.join(', ');
}

function valueText(name: string, value: ChangedValues[string]): string {
  if (value === null && name === 'banks') return 'todos';
  if (value === null) return name === 'expiresAt' ? 'nunca' : 'em branco';
  if (typeof value === 'boolean') return value ? 'sim' : 'não';
  if (typeof value === 'number') return amounts.has(name) ? formatBrl(value) : numberText(name, value);
  if (typeof value === 'object') return value.join(', ');
  if (moments.has(name)) return timeText(new Date(value));
  return name === 'status' && Object.hasOwn(statusNames, value)
    ? statusNames[value as keyof typeof statusNames][1]
    : value;
}

function numberText(name: string, value: number): string {
  return name === 'feePpm' ? `${(value / 10_000).toLocaleString('pt-BR')} %` : value.toLocaleString('pt-BR');
}
