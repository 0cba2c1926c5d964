import { formatReais } from '@payments/domain/money';
import { ApiError } from './api-error.ts';

/** Every error that the service answers with, once: the spec's to the letter (spec 7), ours where it is silent. */
export const errors = named({
  tokenMissing: () => new ApiError(401, 'Bearer token ausente.'),
  tokenInvalid: () => new ApiError(401, 'Token inválido ou expirado.'),
  tokenSuperseded: () => new ApiError(401, 'Apenas o token mais recente é válido.'),
  storeInactive: () => new ApiError(403, 'Loja inativa.'),
  amountTooLow: (minimum: number) =>
    new ApiError(400, `Valor mínimo permitido para geração de pagamentos é R$ ${formatReais(minimum)}.`),
  amountTooHigh: (maximum: number) =>
    new ApiError(400, `Valor máximo permitido para geração de pagamentos é R$ ${formatReais(maximum)}.`),
  invalidField: (message: string) => new ApiError(400, message),
  paymentNotFound: () => new ApiError(404, 'Pagamento não encontrado.'),

  invalidJson: () => new ApiError(400, 'O corpo da requisição não é um JSON válido.'),
  malformedRequest: () => new ApiError(400, 'Requisição inválida.'),
  adminKeyInvalid: () => new ApiError(401, 'Chave de administração inválida.'),
  formExpired: () => new ApiError(403, 'Este formulário expirou. Recarregue a página e tente de novo.'),
  routeNotFound: () => new ApiError(404, 'Rota não encontrada.'),
  pageNotFound: () => new ApiError(404, 'Página não encontrada.'),
  qrCodeNotFound: () => new ApiError(404, 'QR Code não encontrado.'),
  storeNotFound: () => new ApiError(404, 'Loja não encontrada.'),
  tokenNotFound: () => new ApiError(404, 'Token não encontrado.'),
  deliveryNotFound: () => new ApiError(404, 'Entrega não encontrada.'),
  refundNotFound: () => new ApiError(404, 'Devolução não encontrada.'),
  unmatchedPixNotFound: () => new ApiError(404, 'Pix sem pagamento não encontrado.'),
  endpointNotFound: () => new ApiError(404, 'Nenhum destino com falhas tem este id.'),
  requestTimeout: () => new ApiError(408, 'Tempo da requisição esgotado.'),
  transitionRefused: (reason: string) => new ApiError(409, reason),
  refundRefused: (reason: string) => new ApiError(409, reason),
  deliveryUnderWay: () => new ApiError(409, 'Há uma tentativa de entrega em andamento.'),
  bodyTooLarge: () => new ApiError(413, 'O corpo da requisição é grande demais.'),
  unsupportedMediaType: () => new ApiError(415, 'O tipo de conteúdo deve ser application/json.'),
  expectationFailed: () => new ApiError(417, 'O cabeçalho Expect não é aceito.'),
  idempotencyKeyReused: () => new ApiError(422, 'A Idempotency-Key já foi usada com outro corpo.'),
  tooManyRequests: (retryAfterSeconds: number) =>
    new ApiError(429, 'Muitas requisições. Tente novamente mais tarde.', {
      'retry-after': String(retryAfterSeconds),
    }),
  headersTooLarge: () => new ApiError(431, 'Os cabeçalhos da requisição são grandes demais.'),
  internal: () => new ApiError(500, 'Erro interno do servidor.'),
  unavailable: () => new ApiError(503, 'Serviço temporariamente indisponível.', { 'retry-after': '1' }),
});

/** Gives each error the name that it has in the list: what metrics count it by. */
function named<List extends Record<string, (...given: never[]) => ApiError>>(list: List): List {
  const entries = Object.entries(list).map(([kind, make]) => [
    kind,
    (...given: never[]) => Object.assign(make(...given), { kind }),
  ]);
  return Object.fromEntries(entries);
}
