import { parseAmount } from './amount.ts';

/**
 * CRC16 as the BR Code wants it (EMV MPM: polynomial 0x1021, initial 0xFFFF, no reflection), over the text's
 * bytes, UTF-8 unless told otherwise; four upper-case hexadecimal digits.
 */
export function crc16(text: string, encoding: 'utf8' | 'latin1' = 'utf8'): string {
  let crc = 0xffff;
  for (const byte of Buffer.from(text, encoding)) {
    // The polynomial's eight steps at once.
    const high = (crc >> 8) ^ byte;
    const mixed = high ^ (high >> 4);
    crc = ((crc << 8) ^ (mixed << 12) ^ (mixed << 5) ^ mixed) & 0xffff;
  }
  return crc.toString(16).toUpperCase().padStart(4, '0');
}

/** One field of an EMV code: two digits of id, two of length, then the value. */
export type Field = { id: string; value: string };

/** Throws a RangeError when the value is longer than two digits can say. */
export function writeField(id: string, value: string): string {
  if (value.length > 99) throw new RangeError(`field ${id} of a BR Code holds at most 99 characters`);
  return `${id}${String(value.length).padStart(2, '0')}${value}`;
}

/** The fields of a text, in their order; null when the text is not such a list to its last character. */
export function readFields(text: string): Field[] | null {
  const fields: Field[] = [];
  let at = 0;
  while (at < text.length) {
    const head = text.slice(at, at + 4);
    const end = at + 4 + Number(head.slice(2));
    if (!/^\d{4}$/.test(head) || end > text.length) return null;
    fields.push({ id: head.slice(0, 2), value: text.slice(at + 4, end) });
    at = end;
  }
  return fields;
}

const PIX = 'br.gov.bcb.pix';
const MAX_LOCATION = 77;
const MAX_CODE = 512;

/** The content of a BR Code. A dynamic code has a `location`, a static one a `key`. */
export type BrCode = {
  location: string | null;
  key: string | null;
  /** Centavos. In a dynamic code it has no meaning: the amount is at the location. */
  amount: number | null;
  merchantName: string;
  merchantCity: string;
  /** Null for `***`: the txid comes from the location. */
  txid: string | null;
  singleUse: boolean;
};

/**
 * Builds a dynamic BR Code (EMV MPM; Padrões para Iniciação do Pix 2.10).
 * `location` may carry a scheme, which the code leaves out; over 77 characters is a RangeError. Name and city
 * are made legal: no accents, printable ASCII, at most 25 and 15 characters.
 */
export function buildBrCode(code: { location: string; merchantName: string; merchantCity: string }): string {
  const body = [
    writeField('00', '01'),
    writeField('01', '12'),
    writeField('26', writeField('00', PIX) + writeField('25', bareLocation(code.location))),
    writeField('52', '0000'),
    writeField('53', '986'),
    writeField('58', 'BR'),
    writeField('59', legalText(code.merchantName, 25) || 'RECEBEDOR'),
    writeField('60', legalText(code.merchantCity, 15) || 'BRASILIA'),
    writeField('62', writeField('05', '***')),
    '6304',
  ].join('');
  return body + crc16(body);
}

/**
 * Reads a BR Code of Pix; null for anything else, a wrong CRC included. Surrounding blanks are forgiven, and accents:
 * some makers count and sum them as bytes of UTF-8, some as those of Latin-1.
 */
export function parseBrCode(text: string): BrCode | null {
  const { fields, account } = openBrCode(text) ?? {};
  if (!fields || !account) return null;
  const txid = valueIn(readFields(valueIn(fields, '62') ?? '') ?? [], '05');
  return {
    location: valueIn(account, '25'),
    key: valueIn(account, '01'),
    amount: parseAmount(valueIn(fields, '54')),
    merchantName: valueIn(fields, '59') ?? '',
    merchantCity: valueIn(fields, '60') ?? '',
    txid: txid === '***' ? null : txid,
    singleUse: valueIn(fields, '01') === '12',
  };
}

/** @returns whether two copy-and-paste codes lead to the same charge, however else they are written */
export function isSameCode(one: string, other: string): boolean {
  const location = locationIn(one);
  return location === null ? one === other : location === locationIn(other);
}

/** @returns the location of a dynamic BR Code; null for anything else */
export function locationIn(code: string): string | null {
  return valueIn(openBrCode(code)?.account ?? [], '25');
}

function openBrCode(text: string): { fields: Field[]; account: Field[] } | null {
  const code = text.trim();
  if (code.length > MAX_CODE || !hasValidCrc(code)) return null;
  const fields = readFields(code) ?? fieldsInBytes(code);
  const account = fields && pixAccount(fields);
  return account && { fields, account };
}

function hasValidCrc(code: string): boolean {
  if (!/^6304[0-9A-F]{4}$/i.test(code.slice(-8))) return false;
  const [body, crc] = [code.slice(0, -4), code.slice(-4).toUpperCase()];
  return crc16(body) === crc || crc16(body, 'latin1') === crc;
}

function fieldsInBytes(code: string): Field[] | null {
  const fields = readFields(Buffer.from(code, 'utf8').toString('latin1'));
  return (
    fields?.map(({ id, value }) => ({ id, value: Buffer.from(value, 'latin1').toString('utf8') })) ?? null
  );
}

/** @returns whether two locations are the same place; a scheme and the host's case make no difference */
export function isSameLocation(one: string, other: string): boolean {
  return one === other || comparable(one) === comparable(other);
}

function comparable(location: string): string {
  const bare = location.trim().replace(/^https?:\/\//i, '');
  return bare.replace(/^[^/]*/, (host) => host.toLowerCase());
}

/** Any of 26 to 51 may be the Pix account: other arrangements can share one code (EMV MPM). */
function pixAccount(fields: Field[]): Field[] | null {
  for (const field of fields) {
    if (field.id < '26' || field.id > '51') continue;
    const account = readFields(field.value);
    if (account && valueIn(account, '00')?.toLowerCase() === PIX) return account;
  }
  return null;
}

function valueIn(fields: Field[], id: string): string | null {
  return fields.find((field) => field.id === id)?.value ?? null;
}

function bareLocation(location: string): string {
  const bare = location.trim().replace(/^https?:\/\//i, '');
  if (bare.length > MAX_LOCATION || !/^[\x21-\x7e]+$/.test(bare)) {
    throw new RangeError(`a location is 1 to ${MAX_LOCATION} printable ASCII characters`);
  }
  return bare;
}

function legalText(text: string, length: number): string {
  const plain = text.normalize('NFKD').replace(/[^\x20-\x7e\s]/g, '');
  return plain.replace(/\s+/g, ' ').trim().slice(0, length).trim();
}
