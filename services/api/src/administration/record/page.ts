import type { Page } from '@payments/database/filters';
import type { ChangeAction, ChangedValues } from '@payments/database/record/change-actions';
import { type Change, listChanges } from '@payments/database/record/changes';
import { isDay } from '@payments/domain/days';
import type { Operation } from '@payments/domain/roles';
import { roleNames } from '@payments/notices/names';
import { browserName, readKind } from '../../access/actor.ts';
import type { AdministrationPlugin } from '../../context.ts';
import { dayText, formatBrl, html, nothing, type SafeHtml, time, timeText } from '../../pages/html.ts';
import { kindIn } from '../kit/filters.ts';
import { numberText } from '../kit/form-values.ts';
import { sendPage } from '../kit/layout.ts';
import { deliveryNames, phaseNames, refundNames, statusNames, tokenDeedNames } from '../kit/parts.ts';
import { emptyState, pageOf, pagination, table } from '../kit/tables.ts';
import { decisionName } from '../payments/names.ts';
import { recordedAmounts } from './schemas.ts';

/** The page of administrators' changes, newest first. */
export const changesPage: AdministrationPlugin = async (app, { context }) => {
  app.get('/changes', { config: { may: 'readRecord', takesKind: true } }, async (request, reply) => {
    const { actor, query } = request;
    const kind = readKind(actor, query);
    const read = (page: Page) => context.longReads.list(actor, (db) => listChanges(db, kind, page));
    const { items, ...pages } = await pageOf(query, read);
    const content = html`<h1>Auditoria</h1>
      <div class="card flush">${changeTable(items)}</div>
      ${pagination(pages, '/panel/changes', kindIn(kind.test))}`;
    return sendPage(request, reply, { title: 'Auditoria', section: 'changes', content: () => content });
  });
};

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
  'export.made': 'Exportação',
  'search.by_email': 'Busca por e-mail',
  'search.by_text': 'Busca por texto',
  'list.paged': 'Lista lida em muitas páginas',
  'person.erased': 'Pessoa apagada',
  'account.created': 'Conta criada',
  'account.changed': 'Conta alterada',
  'account.invited': 'Novo convite para a conta',
  'account.reset_asked': 'Nova senha pedida',
  'account.password_set': 'Senha definida',
  'account.second_factor_on': 'Segundo fator ativado',
  'account.second_factor_off': 'Segundo fator desativado',
  'account.second_factor_stopped': 'Códigos do segundo fator bloqueados',
  'account.recovery_code_used': 'Código de recuperação usado',
  'account.passkey_added': 'Chave de acesso criada',
  'account.passkey_removed': 'Chave de acesso removida',
  'account.sessions_ended': 'Sessões encerradas',
  sign_in: 'Entrada no painel',
  sign_in_refused: 'Entrada recusada',
  sign_out: 'Saída do painel',
  'admin_key.used': 'Entrada com a chave de administração',
  'operation.refused': 'Operação recusada pelo perfil',
};

const fields: Record<string, string> = {
  name: 'nome',
  notices: 'avisos',
  active: 'ativa',
  feePpm: 'taxa percentual',
  feeFixed: 'taxa fixa',
  maxAmount: 'valor máximo',
  reviewAbove: 'analisar a partir de',
  banks: 'bancos',
  events: 'eventos a mais',
  tokenMay: 'o token pode',
  refundLimitPerDay: 'devoluções por dia',
  test: 'loja de testes',
  role: 'perfil',
  operation: 'operação',
  storeId: 'loja',
  sessions: 'sessões',
  payments: 'pagamentos',
  cause: 'motivo',
  issuer: 'provedor de acesso',
  amount: 'valor',
  expiresAt: 'expira em',
  status: 'status',
  state: 'status',
  redelivered: 'entregas',
  since: 'desde',
  failures: 'falhas',
  phase: 'fase',
  refundId: 'devolução',
  kind: 'tipo',
  searched: 'com busca',
  bank: 'banco',
  from: 'de',
  to: 'até',
  show: 'lista',
  paymentId: 'pagamento',
  previousUntil: 'o anterior vale até',
  url: 'destino',
  times: 'outras vezes em dez minutos',
  page: 'página',
  limit: 'por página',
  rows: 'linhas em dez minutos',
};

/** Operations that a role may not do. */
const operationNames: Record<Operation, string> = {
  readPayments: 'ver pagamentos',
  exportRows: 'exportar',
  reconcile: 'conciliar',
  refundUnmatched: 'devolver Pix sem pagamento',
  orderRefund: 'pedir devoluções',
  changeStatus: 'decidir e mudar o status',
  createPayment: 'criar pagamentos',
  readStores: 'ver lojas',
  changeStores: 'criar e alterar lojas',
  chooseForStore: 'escolher eventos e o que o token pode',
  readBanks: 'ver bancos',
  pauseBank: 'pausar e retomar bancos',
  readOverview: 'ver a visão geral',
  readProblems: 'ver cobranças com problemas',
  manageTokens: 'gerar e desativar tokens',
  manageWebhookSecret: 'ver e trocar o segredo dos webhooks',
  redeliver: 'reenviar webhooks',
  readEndpoints: 'ver destinos',
  releaseEndpoint: 'liberar destinos',
  manageAccounts: 'administrar contas',
  manageKeys: 'administrar chaves',
  erasePersons: 'apagar dados pessoais',
  readNotices: 'ver os avisos enviados',
  readRecord: 'ver a auditoria',
  readStoreRecord: 'ver a auditoria da loja',
};

const textsOf = (names: Record<string, readonly [unknown, string]>) =>
  Object.fromEntries(Object.entries(names).map(([name, [, text]]) => [name, text]));

const valueNames: Record<string, Record<string, string>> = {
  status: textsOf(statusNames),
  state: { ...textsOf(deliveryNames), ...textsOf(refundNames) },
  phase: textsOf(phaseNames),
  role: roleNames,
  operation: operationNames,
  tokenMay: tokenDeedNames,
  kind: { payments: 'pagamentos', refunds: 'devoluções', deliveries: 'entregas', statement: 'extrato' },
  show: { owed: 'só as devidas', bank: 'iniciadas no banco', made: 'feitas' },
  cause: {
    inactive: 'conta inativa',
    password: 'senha incorreta',
    second_factor: 'segundo fator não confirmado',
    admin_key: 'chave de administração incorreta',
    no_account: 'sem conta',
    passkey: 'chave de acesso desconhecida',
    single_sign_on: 'não confirmado pelo provedor de acesso',
    no_group: 'nenhum grupo dá um perfil',
    proof: 'confirmação incorreta',
  },
};

const moments = new Set(['expiresAt', 'since', 'previousUntil', 'from', 'to']);

export const actionName = (action: ChangeAction): string => actions[action];

/** @returns the change in words; a decision by its name */
function changeName({ action, from, to }: Pick<Change, 'action' | 'from' | 'to'>): string {
  return decisionName(from?.status, to?.status) ?? actionName(action);
}

/** @returns named values in words: `taxa fixa: R$ 0,30, ativa: sim` */
function valuesText(values: ChangedValues | null): string {
  const texts = Object.entries(values ?? {}).map(
    ([name, value]) => `${fields[name] ?? name}: ${valueText(name, value)}`,
  );
  return texts.join(', ');
}

function valueText(name: string, value: ChangedValues[string]): string {
  if (value === null && name === 'banks') return 'todos';
  if (value === null && name === 'refundLimitPerDay') return 'sem limite';
  if (value === null) return name === 'expiresAt' ? 'nunca' : 'em branco';
  if (typeof value === 'boolean') return value ? 'sim' : 'não';
  if (typeof value === 'number')
    return recordedAmounts.has(name) ? formatBrl(value) : figureText(name, value);
  const named = (one: string) => namedValue(name, one);
  if (typeof value === 'object') return value.length === 0 ? 'nada' : value.map(named).join(', ');
  if (moments.has(name)) return isDay(value) ? dayText(value) : timeText(new Date(value));
  return named(value);
}

function namedValue(name: string, value: string): string {
  const names = valueNames[name] ?? {};
  return Object.hasOwn(names, value) ? (names[value] ?? value) : value;
}

function figureText(name: string, value: number): string {
  return name === 'feePpm' ? `${numberText(value / 10_000, 0)} %` : value.toLocaleString('pt-BR');
}

const columns = ['Quando', 'Ação', 'Quem', 'De onde', 'De', 'Para', 'Motivo'];

/** The table of administrators' changes. */
export function changeTable(changes: readonly Change[]): SafeHtml {
  if (changes.length === 0)
    return emptyState('Nenhum registro', 'O que se faz aqui ou pela API fica registrado.');
  const rows = changes.map((change) => [
    time(change.at),
    html`${subject(change)}`,
    author(change),
    origin(change),
    text(valuesText(change.from)),
    text(valuesText(change.to)),
    text(change.reason ?? ''),
  ]);
  return table('Auditoria', columns, rows);
}

function subject(change: Change): SafeHtml {
  const { action, paymentId, storeId, subject: bank } = change;
  const name = changeName(change);
  if (action === 'bank.paused' || action === 'bank.resumed')
    return html`<a href="/panel/banks">${name}: ${bank}</a>`;
  if (paymentId) return html`<a href="/panel/payments/${paymentId}">${name}</a>`;
  return storeId ? html`<a href="/panel/stores/${storeId}">${name}</a>` : html`${name}`;
}

function author({ author, via }: Change): SafeHtml {
  const where = via === 'panel' ? 'painel' : 'API';
  return html`<span class="author">${author ?? 'Não identificado'}</span> <span class="muted small block">${where}</span>`;
}

/** The address and the browser of the request. */
function origin({ address, browser }: Change): SafeHtml {
  if (address === null) return text('');
  return html`<span class="small">${address}</span>${browser ? html`<br><span class="muted small wrap" title="${browser}">${browserName(browser).replaceAll(' ', '\u00a0')}</span>` : nothing}`;
}

function text(value: string): SafeHtml {
  return value === '' ? html`<span class="muted">–</span>` : html`<span class="words">${value}</span>`;
}
