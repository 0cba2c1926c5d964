import { Problem } from '../problem.ts';
import type { BankRules, Shape } from './rules.ts';
import { fromBody, oauthError, requireForm, standard, withScopes } from './standard.ts';

/** Santander: two versions side by side, one PUT for each txid, no code, no fractions of seconds, no txid in lists. */
export const santander: BankRules = {
  ...standard,
  standardPath(method, path) {
    if (path === '/oauth/token') return path;
    if (path === '/payment-order/v1/pixrecebidos') return '/pix';
    const version = method === 'PATCH' ? '/api/v2' : '/api/v1';
    return path.startsWith(`${version}/`) ? path.slice(version.length) : null;
  },
  tokenSeconds: 300,
  readToken(request) {
    requireForm(request);
    if (request.query.grant_type !== 'client_credentials')
      throw oauthError(400, 'invalid_request', 'Missing grant type');
    const { id, secret } = withScopes(fromBody(request), request);
    return { id, secret, scopes: [] };
  },
  showCharge: ({ pixCopiaECola, ...charge }: Shape) => charge,
  createdStatus: 200,
  putAgain() {
    throw new Problem(400, 'CobOperacaoInvalida', 'O txid já foi utilizado.');
  },
  checkRange({ inicio, fim }) {
    const isWhole = (time: string) => /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/.test(time);
    if (!isWhole(inicio) || !isWhole(fim))
      throw new Problem(
        400,
        'PixConsultaInvalida',
        'inicio e fim devem estar no formato yyyy-MM-ddTHH:mm:ssZ.',
      );
  },
  showListed: ({ txid, ...pix }: Shape) => pix,
};
