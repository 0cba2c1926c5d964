import { formatAmount } from './amount.ts';

/** What a charge is created with; `amount` in centavos. */
export type NewCharge = {
  amount: number;
  expiresInSeconds: number;
  /** What the payer is shown, cut to 140 characters. */
  payerMessage?: string;
  /** The charge carries whose it is, so that a database that was restored knows it again. */
  storeId?: string;
};

/** The name under which a charge says whose it is (API Pix 2.9, `infoAdicionais`). */
export const STORE_ID = 'ID da loja';

/** Scopes of everything that the client calls (API Pix 2.9, `securitySchemes`). */
export const SCOPES = 'cob.write cob.read pix.write pix.read webhook.write webhook.read';

const MAX_INT32 = 2_147_483_647;

/** The body of `PUT /cob/{txid}`. Throws a RangeError for a number the API Pix does not allow. */
export function chargeBody(key: string, charge: NewCharge) {
  const { expiresInSeconds } = charge;
  if (!Number.isInteger(expiresInSeconds) || expiresInSeconds <= 0 || expiresInSeconds > MAX_INT32) {
    throw new RangeError('expiresInSeconds must be a whole number of seconds, above zero');
  }
  const message = payerMessage(charge.payerMessage ?? '');
  return {
    calendario: { expiracao: expiresInSeconds },
    valor: { original: formatAmount(charge.amount) },
    chave: key,
    ...(message && { solicitacaoPagador: message }),
    ...(charge.storeId && { infoAdicionais: [{ nome: STORE_ID, valor: charge.storeId }] }),
  };
}

/** A payer's message never stands in the way of a charge: it is cut to the 140 characters allowed. */
function payerMessage(text: string): string {
  return text
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, 140)
    .replace(/[\ud800-\udbff]$/, '');
}

/** `/cob/{txid}`; a RangeError unless it is 26 to 35 letters and digits. */
export function chargePath(txid: string): string {
  return `/cob/${checked('txid', txid, /^[a-zA-Z0-9]{26,35}$/)}`;
}

/** `/pix/{e2eid}/devolucao/{id}`; a RangeError when one of them does not have its form. */
export function refundPath(endToEndId: string, refundId: string): string {
  const pix = checked('endToEndId', endToEndId, /^[a-zA-Z0-9]{32}$/);
  return `/pix/${pix}/devolucao/${checked('refundId', refundId, /^[a-zA-Z0-9]{1,35}$/)}`;
}

/** `/pix/{e2eid}`; a RangeError when it does not have its form. */
export function pixPath(endToEndId: string): string {
  return `/pix/${checked('endToEndId', endToEndId, /^[a-zA-Z0-9]{32}$/)}`;
}

/** `/webhook/{chave}`; keys may be e-mails and telephone numbers. */
export function webhookPath(key: string): string {
  return `/webhook/${encodeURIComponent(key)}`;
}

export type PixRange = {
  from: Date;
  to: Date;
  /** Counted from 0. */
  page: number;
  /** Only Pix of which something went back, or is to (API Pix 2.9 `devolucaoPresente`). */
  returned?: boolean;
};

/** `GET /pix`, 100 to a page. A RangeError for a page or a range that can't be. */
export function pixListPath(range: PixRange): string {
  if (!Number.isInteger(range.page) || range.page < 0) throw new RangeError('page must be 0 or above');
  if (!(range.from.getTime() <= range.to.getTime())) throw new RangeError('from must not be after to');
  const query = new URLSearchParams({
    inicio: range.from.toISOString(),
    fim: range.to.toISOString(),
    'paginacao.paginaAtual': String(range.page),
    'paginacao.itensPorPagina': '100',
    ...(range.returned && { devolucaoPresente: 'true' }),
  });
  return `/pix?${query}`;
}

function checked(name: string, value: string, form: RegExp): string {
  if (!form.test(value)) throw new RangeError(`${name} does not have the form ${form.source}`);
  return value;
}
