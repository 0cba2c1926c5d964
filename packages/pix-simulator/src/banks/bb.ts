import { Problem } from '../problem.ts';
import type { BankRules, Rendered } from './rules.ts';
import { TokenRefused } from './rules.ts';
import {
  basicOf,
  json,
  pathsBelow,
  requireForm,
  requireGrant,
  standard,
  withScopes,
  wordsOf,
} from './standard.ts';

const FIVE_DAYS_MS = 5 * 24 * 60 * 60 * 1000;

const nothing = occurred('4769515', 'Não há informações para os dados informados.');

function occurred(codigo: string, mensagem: string) {
  return { erros: [{ codigo, versao: '1', mensagem, ocorrencia: 'CHOM00000062715498140101' }] };
}

function render(problem: Problem): Rendered {
  const { status, name } = problem;
  if (status === 401) {
    const error = 'Unauthorized';
    return json(401, {
      statusCode: 401,
      error,
      message: 'Bad Credentials',
      attributes: { error: 'Bad Credentials' },
    });
  }
  if (name === 'NaoEncontrado')
    return json(404, { statusCode: 404, error: 'Not Found', message: 'Not Found' });
  if (status === 404) return json(404, nothing);
  return json(status, occurred('4769516', wordsOf(problem)));
}

/** Banco do Brasil: ranges under five days, which don't end in the time to come, and a 404 where they hold nothing. */
export const bb: BankRules = {
  ...standard,
  standardPath: pathsBelow('/pix/v2', ['/oauth/token']),
  tokenSeconds: 600,
  readToken(request) {
    requireForm(request);
    requireGrant(request.fields.grant_type);
    const credentials = basicOf(request);
    if (!credentials)
      throw new TokenRefused(401, { statusCode: 401, error: 'Unauthorized', message: 'Bad Credentials' });
    return withScopes(credentials, request);
  },
  admit({ query, headers }) {
    const key = (query as Record<string, string>)['gw-dev-app-key'] ?? headers['x-developer-application-key'];
    if (!key) throw new Problem(401, 'AcessoNegado', 'Chave da aplicação ausente.');
  },
  render,
  checkRange({ inicio, fim }, now) {
    const refuse = (detail: string) => new Problem(400, 'PixConsultaInvalida', detail);
    if (Date.parse(fim) - Date.parse(inicio) >= FIVE_DAYS_MS)
      throw refuse('Período de consulta maior que o permitido.');
    if (Date.parse(fim) > now) throw refuse('Data fim maior que a data atual.');
  },
  emptyList: json(404, nothing),
  async register({ url }) {
    if (url.length > 140)
      throw new Problem(400, 'WebhookOperacaoInvalida', 'URL com mais de 140 caracteres.');
  },
};
