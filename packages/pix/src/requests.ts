import { formatAmount } from './amount.ts';
import { payerText } from './payer-text.ts';

/** The fields of a new charge; `amount` in centavos. */
export type NewCharge = {
  amount: number;
  expiresInSeconds: number;
  /** The text that the payer sees, made legal and cut to 140 characters. */
  payerMessage?: string;
  /** Shown to the payer as `Loja`. */
  storeName?: string;
  /** Shown to the payer as `Pedido`. */
  reference?: string;
  /** Written into the charge, so that a restored database can find its store. */
  storeId?: string;
};

/** The name of the charge's field that holds its store's id (API Pix 2.9, `infoAdicionais`). */
export const STORE_ID = 'ID da loja';

const MAX_INT32 = 2_147_483_647;

/** The body of `PUT /cob/{txid}`. Throws a RangeError for a number the API Pix does not allow. */
export function chargeBody(key: string, charge: NewCharge): ChargeBody {
  const { expiresInSeconds } = charge;
  if (!Number.isInteger(expiresInSeconds) || expiresInSeconds <= 0 || expiresInSeconds > MAX_INT32) {
    throw new RangeError('expiresInSeconds must be a whole number of seconds, above zero');
  }
  const message = payerText(charge.payerMessage ?? '', 140);
  const details = detailsOf(charge);
  return {
    calendario: { expiracao: expiresInSeconds },
    valor: { original: formatAmount(charge.amount) },
    chave: key,
    ...(message && { solicitacaoPagador: message }),
    ...(details.length > 0 && { infoAdicionais: details }),
  };
}

export type ChargeBody = {
  calendario: { expiracao: number };
  valor: { original: string };
  chave: string;
  solicitacaoPagador?: string;
  infoAdicionais?: { nome: string; valor: string }[];
};

/** The payer's part comes before the part that only we read. */
function detailsOf({
  storeName = '',
  reference = '',
  storeId,
}: NewCharge): { nome: string; valor: string }[] {
  const store = payerText(storeName, 200);
  const order = payerText(reference, 200);
  return [
    ...(store ? [{ nome: 'Loja', valor: store }] : []),
    ...(order ? [{ nome: 'Pedido', valor: order }] : []),
    ...(storeId ? [{ nome: STORE_ID, valor: storeId }] : []),
  ];
}

/**
 * @returns the body without what a charge can do without, as far as it has that: first the texts that payers read, then
 *   our mark, too, which finds the store of a charge after a restore
 */
export function lesserBodies(body: ChargeBody): ChargeBody[] {
  const { solicitacaoPagador, infoAdicionais = [], ...essential } = body;
  const mark = infoAdicionais.filter(({ nome }) => nome === STORE_ID);
  const hasTexts = solicitacaoPagador !== undefined || mark.length < infoAdicionais.length;
  const marked = { ...essential, infoAdicionais: mark };
  return [
    ...(hasTexts && mark.length > 0 ? [marked] : []),
    ...(hasTexts || mark.length > 0 ? [essential] : []),
  ];
}

/** The path behind `/cob`; a RangeError unless it is 26 to 35 letters and digits. */
export function chargePath(txid: string): string {
  return `/${checked('txid', txid, /^[a-zA-Z0-9]{26,35}$/)}`;
}

/** The path behind `/pix`: `/{e2eid}/devolucao/{id}`; a RangeError when one of them does not have its form. */
export function refundPath(endToEndId: string, refundId: string): string {
  const pix = checked('endToEndId', endToEndId, /^[a-zA-Z0-9]{32}$/);
  return `/${pix}/devolucao/${checked('refundId', refundId, /^[a-zA-Z0-9]{1,35}$/)}`;
}

/** The path behind `/pix`: `/{e2eid}`; a RangeError when it does not have its form. */
export function pixPath(endToEndId: string): string {
  return `/${checked('endToEndId', endToEndId, /^[a-zA-Z0-9]{32}$/)}`;
}

/** The path behind `/webhook`: `/{chave}`; keys may be e-mails and telephone numbers. */
export function webhookPath(key: string): string {
  return `/${encodeURIComponent(key)}`;
}

export type PixRange = {
  from: Date;
  to: Date;
  /** Counted from 0. */
  page: number;
  /** Only Pix with refunds, settled or not (API Pix 2.9 `devolucaoPresente`). */
  returned?: boolean;
};

export type PixList = { pageSize: number; endsBefore: Date };

/**
 * The path and query behind `/pix` that list a range. Times are whole seconds, since some banks refuse fractions: the
 * list may hold a second more than the range at each end. An impossible page or range is a RangeError.
 */
export function pixListQuery(range: PixRange, { pageSize, endsBefore }: PixList): string {
  if (!Number.isInteger(range.page) || range.page < 0) throw new RangeError('page must be 0 or above');
  if (!(range.from.getTime() <= range.to.getTime())) throw new RangeError('from must not be after to');
  const end = Math.min(range.to.getTime(), endsBefore.getTime());
  const query = new URLSearchParams({
    inicio: wholeSeconds(Math.floor(Math.min(range.from.getTime(), end) / 1000)),
    fim: wholeSeconds(Math.ceil(end / 1000)),
    'paginacao.paginaAtual': String(range.page),
    'paginacao.itensPorPagina': String(pageSize),
    ...(range.returned && { devolucaoPresente: 'true' }),
  });
  return `?${query}`;
}

function wholeSeconds(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`;
}

function checked(name: string, value: string, form: RegExp): string {
  if (!form.test(value)) throw new RangeError(`${name} does not have the form ${form.source}`);
  return value;
}
