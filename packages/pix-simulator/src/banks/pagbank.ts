import type { Problem } from '../problem.ts';
import type { BankRules, Rendered, Shape } from './rules.ts';
import {
  basicOf,
  json,
  oauthError,
  pathsBelow,
  requireGrant,
  standard,
  withScopes,
  wordsOf,
} from './standard.ts';

/** By the standard's names of what is missing. */
const missing: Record<string, string> = {
  CobNaoEncontrado: 'cobranca_nao_encontrada',
  PixNaoEncontrado: 'pix_nao_encontrado',
  PixDevolucaoNaoEncontrada: 'devolucao_nao_encontrada',
};

function render(problem: Problem): Rendered {
  const { status, name } = problem;
  const message = wordsOf(problem);
  if (name === 'NaoEncontrado') return json(404, { message: 'Not Found' });
  if (status === 404)
    return json(400, { nome: missing[name] ?? 'registro_nao_encontrado', mensagem: message });
  return json(status, status < 500 ? { nome: 'valor_invalido', mensagem: message } : { message });
}

/** PagBank: JSON with scopes, none of them for callbacks; a charge's location is not the one inside its code. */
export const pagbank: BankRules = {
  ...standard,
  standardPath: pathsBelow('/instant-payments', ['/pix/oauth2']),
  tokenSeconds: 31_536_000,
  readToken(request) {
    if (!request.contentType.startsWith('application/json')) throw oauthError(415, 'invalid_request');
    requireGrant(request.fields.grant_type);
    return withScopes(basicOf(request), request);
  },
  grant(asked, allowed) {
    const possible = allowed.filter((scope) => !scope.startsWith('webhook.'));
    if (asked.some((scope) => !possible.includes(scope))) throw oauthError(400, 'invalid_scope');
    return asked;
  },
  render,
  showCharge: (charge: Shape) => ({ ...charge, location: `api.pagseguro.example/qr/${charge.txid}` }),
};
