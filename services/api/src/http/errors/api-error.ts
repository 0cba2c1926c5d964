import type { PaymentStatus } from '@payments/domain/status';
import type { PlainRefusal, Refusal } from '@payments/settlement/refusals';

/** The unit that the panel shows with a field's numbers; `count` has none. */
export type Unit = 'money' | 'percent' | 'count';

/** A rule for a field. `says` follows the field's name in the API's message; `pt` is the panel's message. */
export type FieldRule = { says: string; pt: (unit: Unit) => string };

const rule = (says: string, pt = 'Valor inválido.'): FieldRule => ({ says, pt: () => pt });

/** All rules for fields. The API's messages use class-validator's words (Contract: validation). */
export const rules = {
  string: rule('must be a string'),
  boolean: rule('must be a boolean value'),
  object: rule('must be an object'),
  integer: rule('must be an integer number'),
  uuid: rule('must be a UUID'),
  number: {
    says: 'must be a number conforming to the specified constraints',
    pt: (unit) => `Escreva um número, como ${unit === 'money' ? '10,00' : '1,5'}.`,
  },
  empty: rule('should be empty', 'Deve ficar em branco.'),
  fixed: rule('can not be changed', 'Não pode ser alterado.'),
  known: rule('must be a known value'),
  notEmpty: rule('should not be empty', 'Não pode ficar em branco.'),
  noNull: rule('must not contain null characters', 'Contém um caractere que não pode ser gravado.'),
  email: rule('must be an email', 'Escreva um e-mail, como nome@exemplo.com.br.'),
  url: rule('must be a URL', 'Escreva um endereço que comece com https:// e aceite webhooks.'),
  dateTime: rule('must be a valid ISO 8601 date string', 'Escreva uma data e uma hora válidas.'),
  // The API takes a time there, too, while people write a day.
  endOfRange: rule('must be a valid ISO 8601 date string', 'Escolha um dia que exista.'),
  array: rule('must be an array'),
  unique: rule('must not have the same value twice', 'Informe cada um só uma vez.'),
  notBeforeFrom: rule('must not be before from', 'Não pode ser antes do início.'),
  day: rule('must be a day, as 2026-11-23', 'Escolha um dia.'),
  notToCome: rule('must not be in the future', 'Este dia ainda não chegou.'),
  inFuture: rule('must be in the future', 'Deve ser um momento futuro.'),
  twoDecimals: rule('must have at most two decimals', 'Pode ter no máximo duas casas decimais.'),
  fourDecimals: rule('must have at most four decimals', 'Pode ter no máximo quatro casas decimais.'),
  atLeast: (limit: number): FieldRule => ({
    says: `must not be less than ${limit}`,
    pt: (unit) => `Deve ser no mínimo ${withUnit(limit, unit)}.`,
  }),
  atMost: (limit: number): FieldRule => ({
    says: `must not be greater than ${limit}`,
    pt: (unit) => `Deve ser no máximo ${withUnit(limit, unit)}.`,
  }),
  longEnough: (characters: number) =>
    rule(
      `must be longer than or equal to ${characters} characters`,
      characters === 1 ? 'Não pode ficar em branco.' : `Deve ter no mínimo ${characters} caracteres.`,
    ),
  shortEnough: (characters: number) =>
    rule(
      `must be shorter than or equal to ${characters} characters`,
      `Pode ter no máximo ${characters} caracteres.`,
    ),
  oneOf: (values: readonly unknown[]) => rule(`must be one of the following values: ${values.join(', ')}`),
} satisfies Record<string, FieldRule | ((...limits: never[]) => FieldRule)>;

const reais = new Intl.NumberFormat('pt-BR', { minimumFractionDigits: 2, maximumFractionDigits: 2 });

function withUnit(limit: number, unit: Unit): string {
  if (unit === 'count') return limit.toLocaleString('pt-BR');
  return unit === 'money' ? `R$ ${reais.format(limit)}` : `${String(limit).replace('.', ',')} %`;
}

/** A wrong field of a request and the rule that it breaks. */
export type WrongField = { name: string; rule: FieldRule };

export type ErrorDetails = {
  /** Name of the error in the list, and its label in the metrics. */
  kind?: string;
  headers?: Record<string, string>;
  field?: WrongField;
};

/** An error response, rendered as `{statusCode, message}` (Contract: error body). */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly statusCode: number;
  readonly kind: string;
  readonly headers: Record<string, string>;
  readonly field: WrongField | undefined;

  constructor(
    statusCode: number,
    message: string,
    { kind = 'other', headers = {}, field }: ErrorDetails = {},
  ) {
    super(message);
    this.statusCode = statusCode;
    this.kind = kind;
    this.headers = headers;
    this.field = field;
  }
}

/** An error of the list: status, exact message and cause. Its name there is its `Error-Code`. */
export type ListedError = { status: number; message: string; when: string };

/** An error of an operation, as data: code throws it and the documents show it. `code` is its `Error-Code`. */
export type Condition = ListedError & { code: string };

/** Conditions by the names of their examples in the documents. */
export type Conditions = Record<string, Condition>;

/** @returns the condition of a field that breaks a rule */
export function field(name: string, { says }: FieldRule, when: string): Condition {
  return { status: 400, message: `${name} ${says}`, when, code: 'invalidField' };
}

/** @returns the error of a field that breaks a rule */
export function wrongField(name: string, rule: FieldRule): ApiError {
  return new ApiError(400, `${name} ${rule.says}`, { kind: 'invalidField', field: { name, rule } });
}

const plain: Record<PlainRefusal, string> = {
  beingRefunded: 'O pagamento está sendo devolvido.',
  nothingReceivedLeft: 'Nada resta do que foi recebido.',
  returnUnderWay: 'Há uma devolução em andamento.',
  inDoubt: 'O banco e os registros ainda não concordam sobre este pagamento. Tente de novo em instantes.',
  chargeUnknown: 'O banco não conhece a cobrança deste pagamento.',
  statusChanged: 'O pagamento mudou enquanto a página estava aberta. Confira o status atual.',
  amountChanged: 'O valor a aprovar mudou. Confira e decida de novo.',
  nothingToRefund: 'Nada resta a devolver deste pagamento.',
  refusedByBank: 'O banco recusou a devolução do que resta; peça-a de novo.',
  windowOver: 'O prazo de 90 dias para devolver este Pix terminou.',
  moreThanIsLeft: 'O valor é maior do que o que resta a devolver deste pagamento.',
  leftChanged: 'O valor que resta a devolver mudou. Confira e peça de novo.',
  refundLimitReached: 'O limite diário de devoluções da loja foi atingido.',
  nothingOfPix: 'Nada resta a devolver deste Pix.',
  ofPayer: 'O valor desta devolução pertence a quem pagou.',
  ofBank: 'A devolução foi iniciada pelo banco.',
  notRefused: 'A devolução não foi recusada pelo banco.',
  ended: 'Esta devolução terminou e não pode ser pedida de novo. Peça uma nova.',
  orderedAlready: 'A devolução já foi solicitada novamente.',
  notAtTestBank: 'O banco de testes não pode fazer isto com este pagamento.',
};

/** The words for the refusals of the rules, for errors, documents and the panel. */
export const refusals = {
  ...plain,
  transition: (from: string, to: string) => `A transição de ${from} para ${to} não é permitida.`,
  notRefundable: (status: string) => `Um pagamento com status ${status} não pode ser devolvido.`,
  notOwed: (status: string) => `Nada resta a devolver de um pagamento com status ${status}.`,
};

/**
 * @param name what a status is called: programs know it by its code
 * @returns why a rule refused what a person asked, in words
 */
export function refusalText(refusal: Refusal, name: (status: PaymentStatus) => string = String): string {
  if (refusal.code === 'transition') return refusals.transition(name(refusal.from), name(refusal.to));
  if ('status' in refusal) return refusals[refusal.code](name(refusal.status));
  return plain[refusal.code];
}

type RefusalName = 'notRefundable' | 'refundTooLate' | 'refundTooHigh' | 'refundLimitReached';

/**
 * The names by which programs read refusals in `Error-Code`, where the list of errors has one (Contract: error body).
 * An amount that is on its way already is more than is left.
 */
const names: Partial<Record<Refusal['code'], RefusalName>> = {
  notRefundable: 'notRefundable',
  windowOver: 'refundTooLate',
  nothingToRefund: 'refundTooHigh',
  refusedByBank: 'refundTooHigh',
  moreThanIsLeft: 'refundTooHigh',
  refundLimitReached: 'refundLimitReached',
};

/** @returns the name of a refusal in the list of errors; undefined if it has none */
export function refusalName({ code }: Refusal): RefusalName | undefined {
  return names[code];
}
