import type { Refused } from '@payments/settlement/refusals';
import type { TokenRefusal } from '@payments/settlement/store-token';
import {
  ApiError,
  type Condition,
  type ErrorDetails,
  type ListedError,
  refusalName,
  refusalText,
  type WrongField,
} from './api-error.ts';

/**
 * Every error of the service, for code, documents and panel alike.
 * The contract fixes the messages that it lists to the letter (Contract: messages).
 */
export const list = {
  malformedRequest: {
    status: 400,
    message: 'Requisição inválida.',
    when: 'Not a valid HTTP request, for example bad percent-encoding.',
  },
  requestTimeout: {
    status: 408,
    message: 'Tempo da requisição esgotado.',
    when: 'The complete request did not arrive within 30 seconds.',
  },
  expectationFailed: {
    status: 417,
    message: 'O cabeçalho Expect não é aceito.',
    when: 'The `Expect` header asks for something other than `100-continue`.',
  },
  headersTooLarge: {
    status: 431,
    message: 'Os cabeçalhos da requisição são grandes demais.',
    when: 'The URL and the headers exceed 16 KB together.',
  },
  internal: { status: 500, message: 'Erro interno do servidor.', when: 'The service failed.' },
  unavailable: {
    status: 503,
    message: 'Serviço temporariamente indisponível.',
    when: 'The service can’t reach its database, is overloaded, or is stopping.',
  },
  bankUnavailable: {
    status: 503,
    message: bankAway('default'),
    when: 'The bank, which the message names, can’t be asked now.',
  },
  tokenMissing: {
    status: 401,
    message: 'Bearer token ausente.',
    when: 'The `Authorization` header is missing or empty, has another scheme, or no token.',
  },
  tokenInvalid: {
    status: 401,
    message: 'Token inválido ou expirado.',
    when: 'The token does not exist, is wrong, expired or deactivated.',
  },
  tokenSuperseded: {
    status: 401,
    message: 'Apenas o token mais recente é válido.',
    when: 'The store generated a newer token; only the newest works.',
  },
  storeInactive: {
    status: 403,
    message: 'Loja inativa.',
    when: 'The token is valid, but the store is deactivated.',
  },
  tooManyRequests: {
    status: 429,
    message: 'Muitas requisições. Tente novamente mais tarde.',
    when: 'The store exceeded its rate limit, or this address sent too many unknown tokens.',
  },
  readTookTooLong: {
    status: 429,
    message: 'A consulta demorou demais. Escolha um período menor ou outros filtros.',
    when: 'One statement of the read took longer than 10 seconds. Narrower filters help.',
  },
  invalidJson: {
    status: 400,
    message: 'O corpo da requisição não é um JSON válido.',
    when: 'The body is not valid JSON.',
  },
  bodyTooLarge: {
    status: 413,
    message: 'O corpo da requisição é grande demais.',
    when: 'The body is larger than 1 MB.',
  },
  unsupportedMediaType: {
    status: 415,
    message: 'O tipo de conteúdo deve ser application/json.',
    when: '`Content-Type` is not `application/json`.',
  },
  bodyCompressed: {
    status: 415,
    message: 'O corpo da requisição não pode ser comprimido.',
    when: 'The body is compressed, as `Content-Encoding` says.',
  },
  idempotencyKeyReused: {
    status: 422,
    message: 'A Idempotency-Key já foi usada com outro corpo.',
    when: 'The `Idempotency-Key` was used for another body.',
  },
  referenceTaken: {
    status: 409,
    message: 'Já existe um pagamento com esta referência.',
    when: 'Another payment of the store has this `reference`.',
  },
  cursorInvalid: {
    status: 400,
    message: 'after must be the next of an earlier page',
    when: '`after` is not a cursor of the store’s feed.',
  },
  operationNotEnabled: {
    status: 403,
    message: 'Operação não habilitada para a loja.',
    when: 'The store does not allow its tokens this operation.',
  },
  notRefundable: {
    status: 409,
    message: 'Pagamento não pode ser devolvido.',
    when: 'Only approved and paid payments can be refunded.',
  },
  refundTooLate: {
    status: 409,
    message: 'Prazo de 90 dias para devolução encerrado.',
    when: 'The Pix was paid more than 90 days ago.',
  },
  refundTooHigh: {
    status: 409,
    message: 'Valor maior que o disponível para devolução.',
    when: 'More was asked for than is left, or all of it is on its way back already.',
  },
  refundLimitReached: {
    status: 409,
    message: 'Limite diário de devoluções atingido.',
    when: 'The store’s tokens would refund more on this day of São Paulo than the store allows.',
  },
  notCancellable: {
    status: 409,
    message: 'Pagamento não pode ser cancelado.',
    when: 'Only a pending payment can be cancelled.',
  },
  testDeedRefused: {
    status: 409,
    message: 'O banco de testes não pode fazer isto com este pagamento.',
    when: 'The payment has no code yet, the bank has nothing (of this amount) to take back, or it has 20 Pix already.',
  },
  paymentNotFound: {
    status: 404,
    message: 'Pagamento não encontrado.',
    when: 'The payment does not exist, or belongs to another store.',
  },
  qrCodeNotFound: {
    status: 404,
    message: 'QR Code não encontrado.',
    when: 'There is no such payment, or it has no code yet.',
  },

  adminKeyInvalid: {
    status: 401,
    message: 'Chave de administração inválida.',
    when: 'The key does not exist, is wrong, expired or deleted.',
  },
  roleMayNot: {
    status: 403,
    message: 'Seu perfil não permite esta operação.',
    when: 'The role of the key does not allow this operation.',
  },
  accountNotFound: { status: 404, message: 'Conta não encontrada.', when: 'There is no such account.' },
  invitationNotFound: {
    status: 404,
    message: 'Este convite não vale mais. Peça outro a quem administra as contas.',
    when: 'The invitation was used, has expired or was replaced.',
  },
  emailTaken: {
    status: 409,
    message: 'Já existe uma conta com este e-mail.',
    when: 'Another account has this e-mail.',
  },
  lastOwner: {
    status: 409,
    message: 'Esta é a última conta ativa de proprietário. Crie outra antes.',
    when: 'No active owner would be left, and the request is not by `ADMIN_KEY`.',
  },
  accountActive: {
    status: 409,
    message: 'Esta pessoa tem uma conta ativa. Desative a conta antes.',
    when: 'The person still signs in: take the account away first.',
  },
  keyNotFound: { status: 404, message: 'Chave não encontrada.', when: 'There is no such key.' },
  bankNotFound: { status: 404, message: 'Banco não encontrado.', when: 'The bank was never configured.' },
  noTestBank: {
    status: 409,
    message: 'Não há banco de testes configurado.',
    when: 'No bank `test` is configured, and a test store has no other.',
  },
  storeNotFound: { status: 404, message: 'Loja não encontrada.', when: 'The store does not exist.' },
  tokenNotFound: { status: 404, message: 'Token não encontrado.', when: 'The store has no such token.' },
  tokenGeneratedMeanwhile: {
    status: 409,
    message:
      'Nenhum token foi gerado: outro foi gerado enquanto a página estava aberta. Confira antes de gerar um novo.',
    when: 'The posted form of the panel showed another newest token than the store has.',
  },
  secretRotatedMeanwhile: {
    status: 409,
    message:
      'O segredo não foi trocado: ele já foi trocado enquanto a página estava aberta. Confira o segredo em uso antes de trocá-lo de novo.',
    when: 'The posted form of the panel is older than the store’s webhook secret.',
  },
  deliveryNotFound: { status: 404, message: 'Entrega não encontrada.', when: 'The delivery does not exist.' },
  refundNotFound: {
    status: 404,
    message: 'Devolução não encontrada.',
    when: 'The payment has no such refund.',
  },
  unmatchedPixNotFound: {
    status: 404,
    message: 'Pix sem pagamento não encontrado.',
    when: 'No unmatched Pix has this endToEndId.',
  },
  endpointNotFound: {
    status: 404,
    message: 'Nenhum destino com falhas tem este id.',
    when: 'No failing receiver has this id.',
  },
  deliveryUnderWay: {
    status: 409,
    message: 'Há uma tentativa de entrega em andamento.',
    when: 'An attempt is under way.',
  },
  deliveryWaits: {
    status: 409,
    message: 'A entrega espera a primeira tentativa do evento anterior deste pagamento.',
    when: 'The delivery waits for the first attempt of the payment’s event before it. It then follows by itself.',
  },
  formExpired: {
    status: 403,
    message: 'Este formulário expirou. Recarregue a página e tente de novo.',
    when: 'A posted form is not from this panel session, or has expired.',
  },
  formOutdated: {
    status: 409,
    message:
      'Nada foi alterado. Estes dados mudaram enquanto a página estava aberta. Eles estão aqui como são agora: faça a sua mudança de novo.',
    when: 'A form of the panel changes a field, and it or one that belongs to it was changed after the page was loaded.',
  },
  routeNotFound: { status: 404, message: 'Rota não encontrada.', when: 'No route has this path.' },
  notAForm: {
    status: 415,
    message: 'O que foi enviado não é um formulário deste painel.',
    when: 'A post to the panel that is no form.',
  },
  pageNotAllowed: {
    status: 403,
    message: 'Seu perfil não permite esta página.',
    when: 'The role of the account does not allow this page of the panel.',
  },
  tooManyPasskeys: {
    status: 409,
    message: 'A conta já tem 20 chaves de acesso. Remova uma antes de criar outra.',
    when: 'The account has 20 passkeys.',
  },
  pageNotFound: { status: 404, message: 'Página não encontrada.', when: 'The panel has no such page.' },
} satisfies Record<string, ListedError>;

export type ErrorName = keyof typeof list;

/** @returns an error of the list as an operation's condition, with the operation's own cause if it is given */
export function conditionOf(name: ErrorName, when: string = list[name].when): Condition {
  return { ...list[name], when, code: name };
}

const make =
  (kind: ErrorName, details: ErrorDetails = {}) =>
  () =>
    new ApiError(list[kind].status, list[kind].message, { kind, ...details });

/** Constructors of the errors, by name. */
export const errors = {
  ...(Object.fromEntries(Object.keys(list).map((kind) => [kind, make(kind as ErrorName)])) as Record<
    ErrorName,
    () => ApiError
  >),
  readTookTooLong: make('readTookTooLong', { headers: { 'retry-after': '60' } }),
  unavailable: make('unavailable', { headers: { 'retry-after': '1' } }),
  emailTaken: make('emailTaken', { field: saying('email', 'emailTaken') }),
  tokenGeneratedMeanwhile: make('tokenGeneratedMeanwhile', {
    field: saying('newestToken', 'tokenGeneratedMeanwhile'),
  }),
  secretRotatedMeanwhile: make('secretRotatedMeanwhile', {
    field: saying('lastRotation', 'secretRotatedMeanwhile'),
  }),
  formOutdated: make('formOutdated', { field: saying('shown', 'formOutdated') }),
  lastOwner: make('lastOwner', { field: saying('role', 'lastOwner') }),
  bankUnavailable: (bank: string) =>
    new ApiError(503, bankAway(bank), { kind: 'bankUnavailable', headers: { 'retry-after': '10' } }),
  tooManyRequests: (seconds: number) =>
    make('tooManyRequests', { headers: { 'retry-after': String(seconds) } })(),
};

/** The errors of a store's token, also of one that ended while its request waited. */
export const tokenRefusals: Record<TokenRefusal, () => ApiError> = {
  invalid: errors.tokenInvalid,
  superseded: errors.tokenSuperseded,
  'store-inactive': errors.storeInactive,
  'deed-not-enabled': errors.operationNotEnabled,
};

/** @returns the error for what a rule refused */
export function refused({ kind, refusal }: Refused): ApiError {
  return new ApiError(409, refusalText(refusal), { kind: refusalName(refusal) ?? kind });
}

/** @returns the condition of what a rule refuses, as `refused` answers it */
export function refusalOf(error: Refused, when: string): Condition {
  const { statusCode: status, message, kind: code } = refused(error);
  return { status, message, when, code };
}

/** @returns the field whose rule is the error itself: the panel shows its message there */
function saying(name: string, kind: ErrorName): WrongField {
  const { message } = list[kind];
  return { name, rule: { says: message, pt: () => message } };
}

function bankAway(bank: string): string {
  return `O banco não pode ser consultado agora: ${bank}.`;
}
