import { Problem } from '../problem.ts';
import type { BankRules, Rendered } from './rules.ts';
import { basicOf, json, oauthError, pathsBelow, requireGrant, standard, wordsOf } from './standard.ts';

/** Names of errors, by the standard's (dev.efipay.com.br/docs/api-pix). */
const names: Record<string, string> = {
  CobNaoEncontrado: 'cobranca_nao_encontrada',
  PixNaoEncontrado: 'pix_nao_encontrado',
  PixDevolucaoNaoEncontrada: 'devolucao_nao_encontrada',
  WebhookNaoEncontrado: 'webhook_nao_encontrado',
  CobOperacaoInvalida: 'status_cobranca_invalido',
  PixDevolucaoInvalida: 'valor_devolucao_invalido',
};

function render(problem: Problem): Rendered {
  const { status, name } = problem;
  const message = wordsOf(problem);
  if (status === 401)
    return json(401, { error: 'invalid_token', error_description: 'Invalid or expired access token' });
  if (status === 403) return json(403, { error: 'insufficient_scope', error_description: message });
  if (name === 'NaoEncontrado') return json(404, { message: 'Not Found' });
  if (status >= 500) return json(status, { nome: 'erro_aplicacao', mensagem: message });
  if (
    problem.violations.some(({ propriedade }) => propriedade === 'cob.chave') ||
    /chave não pertence/i.test(message)
  )
    return json(400, {
      nome: 'chave_invalida',
      mensagem: 'A chave informada não faz referência à conta Efí autenticada',
    });
  const nome = problem.violations.length > 0 ? 'valor_invalido' : (names[name] ?? name);
  return json(nome === 'txid_duplicado' ? 409 : 400, { nome, mensagem: message });
}

/** Efí: "missing" is a 400 with a name, a used txid a 409, and the callback's address is tried before it is taken. */
export const efi: BankRules = {
  ...standard,
  standardPath: pathsBelow('/v2', ['/oauth/token']),
  readToken(request) {
    if (!request.contentType.startsWith('application/json'))
      throw oauthError(400, 'invalid_request', 'Request body must be JSON');
    requireGrant(request.fields.grant_type);
    const credentials = basicOf(request);
    if (!credentials) throw oauthError(401, 'invalid_client', 'Invalid or inactive credentials');
    return { ...credentials, scopes: [] };
  },
  render,
  // Its SDK types seconds as text where charges are read, as a number in the answers of PUT, POST and PATCH.
  showCharge: (charge, operation) =>
    operation === 'getCob' || operation === 'listCob'
      ? { ...charge, calendario: { ...charge.calendario, expiracao: String(charge.calendario.expiracao) } }
      : charge,
  registeredStatus: 201,
  showRegistered: (webhookUrl) => ({ webhookUrl }),
  drawsCodes: true,
  putAgain() {
    throw new Problem(409, 'txid_duplicado', 'Campo txid informado já foi utilizado em outra cobrança');
  },
  async register({ url, headers, post }) {
    const refuse = (mensagem: string) => new Problem(400, 'webhook_invalido', mensagem);
    const { protocol, hostname } = new URL(url);
    if (protocol !== 'https:' && hostname !== '127.0.0.1')
      throw new Problem(400, 'valor_invalido', 'A URL do webhook deve usar o protocolo HTTPS');
    if (headers['x-skip-mtls-checking'] !== 'true')
      throw refuse('A autenticação de TLS mútuo não está configurada na URL informada');
    const status = await post({ evento: 'teste_webhook' });
    if (status === null) throw refuse('A URL informada está inacessível');
    if (status < 200 || status > 299) throw refuse(`A URL informada respondeu com o código HTTP ${status}`);
  },
  callbackAddress: (url) => (url.includes('ignorar=') ? url : `${url}/pix`),
};
