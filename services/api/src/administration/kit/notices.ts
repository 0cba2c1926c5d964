import { html, nothing, type SafeHtml } from '../../pages/html.ts';
import { decisionName } from '../payments/decision-words.ts';

const notices: Record<string, string> = {
  'store-created': 'Loja criada. Gere o token para que ela use a API.',
  'store-saved': 'Alterações salvas.',
  'store-activated': 'Loja ativada.',
  'store-deactivated': 'Loja desativada.',
  'token-deactivated': 'Token desativado.',
  'secret-rotated': 'Segredo trocado.',
  'payment-created': 'Pagamento criado.',
  'sent-again': 'A entrega será enviada de novo agora.',
  'refund-requested': 'Devolução pedida ao banco.',
  'refund-ordered': 'Nova devolução pedida ao banco.',
  'refund-withdrawn': 'Devolução retirada: o valor continua com a loja.',
  'day-checked': 'Dia conferido.',
  'bank-paused': 'Banco pausado: não recebe cobranças novas.',
  'bank-resumed': 'Banco retomado: volta a receber cobranças.',
  'password-set': 'Senha definida.',
  'password-changed': 'Senha trocada. As outras sessões foram encerradas.',
  'second-factor-off': 'Segundo fator desativado.',
  'passkey-added': 'Chave de acesso criada.',
  'passkey-removed': 'Chave de acesso removida.',
  'notices-saved': 'Avisos salvos.',
  'sessions-ended': 'Sessões encerradas.',
  'account-saved': 'Conta salva.',
  'key-deleted': 'Chave apagada.',
  'endpoint-released': 'Destino liberado. As entregas foram retomadas.',
};

/** @param done name of the notice, from the redirect's query */
export function notice(done: unknown): SafeHtml {
  if (typeof done !== 'string') return nothing;
  const text = Object.hasOwn(notices, done) ? notices[done] : decided(done);
  return text ? alert('done', text) : nothing;
}

/** @returns the notice of a decision, which is named by the statuses before and after it */
function decided(done: string): string | undefined {
  const name = decisionName(...(done.split('-') as [string, string?]));
  return name && `${name}.`;
}

type AlertKind = 'done' | 'error' | 'warning';

/** A message about the last action, announced by screen readers. */
export function alert(kind: AlertKind, text: string | SafeHtml): SafeHtml {
  return html`<div class="alert ${kind}" role="${kind === 'done' ? 'status' : 'alert'}">${text}</div>`;
}
