import { createdAtOf, paymentIdOf, refundOrdinalOf, txidOf } from '@payments/domain/identifiers';
import { parseAmount } from './amount.ts';
import { buildBrCode, isSameLocation, locationIn } from './brcode.ts';
import { isObject, type JsonObject, textOf } from './json.ts';
import { STORE_ID } from './requests.ts';
import { readTime, timeInside } from './times.ts';
import type { Charge, PixEntries, ReceivedPix, Refund, UnreadablePix } from './types.ts';

/** A response lacks a required field. The error names the field, never its value. */
export class UnreadableAnswer extends Error {}

export type ChargeReading = {
  /** For a code that is built here. */
  name: string;
  city: string;
  /** The fields in which the bank may put the code. */
  codeFields: readonly string[];
  /** True if the bank's codes have another location than its charges. */
  codeLocationDiffers?: boolean;
};

/**
 * Reads a charge from the body of PUT, PATCH or GET `/cob/{txid}`. A Pix inside that can't be read is an
 * UnreadableAnswer: skipping it would lose money.
 */
export function readCharge(body: unknown, txid: string, reading: ChargeReading): Charge {
  const { failures, ...charge } = readShown(body, txid, reading);
  if (failures[0]) throw failures[0];
  return charge;
}

/** Reads a charge as above, for whoever follows each Pix. One that can't be read is named beside the others. */
export function readChargeInParts(body: unknown, txid: string, reading: ChargeReading): Charge {
  const { failures, ...charge } = readShown(body, txid, reading);
  return charge;
}

function readShown(body: unknown, txid: string, reading: ChargeReading) {
  const cob = objectIn(body, 'cob');
  if (cob.txid !== txid && (readTxid(cob.txid) ?? txid) !== txid)
    throw new UnreadableAnswer('txid of another charge');
  const amount = parseAmount(isObject(cob.valor) ? cob.valor.original : undefined);
  if (amount === null) throw new UnreadableAnswer('valor.original');
  const status = readStatus(cob.status);
  if (!status) throw new UnreadableAnswer('status');
  const copyAndPaste = copyAndPasteOf(cob, reading);
  const own = { storeId: storeIdOf(cob.infoAdicionais), key: textOf(cob.chave) };
  const { pix, unreadable, failures } = readEach(cob.pix, (entry) => readPixOf(entry, txid));
  const odd = unreadable.length > 0 && { oddPix: unreadable };
  return {
    txid,
    status,
    amount,
    ...timesOf(cob.calendario, txid),
    copyAndPaste,
    ...own,
    pix,
    ...odd,
    failures,
  };
}

/** A Pix that says that it is another charge's pays nothing here. */
function readPixOf(entry: unknown, txid: string): ReceivedPix {
  const pix = readPix(entry);
  if ((pix.txid ?? txid) !== txid) throw new UnreadableAnswer('pix.txid');
  return { ...pix, txid };
}

function storeIdOf(details: unknown): string | null {
  const own = listOf(details).find((detail) => isObject(detail) && detail.nome === STORE_ID);
  return isObject(own) ? textOf(own.valor) : null;
}

/** Most charges are registered soon after their payment's id was made; the txid holds that time. */
function timesOf(calendar: unknown, txid: string): Pick<Charge, 'createdAt' | 'expiresInSeconds'> {
  if (!isObject(calendar)) return { createdAt: null, expiresInSeconds: null };
  const seconds = Number(calendar.expiracao);
  const paymentId = paymentIdOf(txid);
  return {
    createdAt: readTime(calendar.criacao, paymentId ? createdAtOf(paymentId) : null)?.at ?? null,
    expiresInSeconds: seconds > 0 ? seconds : null,
  };
}

/**
 * @returns null also for a code that nobody could pay, or that is of another charge, and for a location that no code holds.
 * A registration refuses null; a charge that was paid needs no code any more
 */
function copyAndPasteOf(cob: JsonObject, reading: ChargeReading): string | null {
  const { name, city, codeFields } = reading;
  const named = [cob.location, isObject(cob.loc) ? cob.loc.location : null];
  const locations = named.map(textOf).filter((one) => one !== null);
  const [location] = locations;
  const given = textOf(cob[codeFields.find((field) => textOf(cob[field])) ?? ''])?.trim();
  if (given) return isCodeOf(given, reading.codeLocationDiffers ? [] : locations) ? given : null;
  if (!location) return null;
  try {
    return buildBrCode({ location, merchantName: name, merchantCity: city });
  } catch {
    return null;
  }
}

/** A code of the charge is dynamic, and leads to one of its locations if the answer names any. */
function isCodeOf(code: string, locations: readonly string[]): boolean {
  const place = locationIn(code);
  return place ? locations.length === 0 || locations.some((one) => isSameLocation(one, place)) : false;
}

/** Reads the entries of a list or a callback. One that can't be read hides no other. */
export function readEntries(entries: unknown): PixEntries {
  const { failures, ...read } = readEach(entries, (entry) => readPix(entry));
  return read;
}

function readEach(entries: unknown, readOne: (entry: unknown) => ReceivedPix) {
  const read: PixEntries & { failures: UnreadableAnswer[] } = { pix: [], unreadable: [], failures: [] };
  const places = new Map<string, number>();
  for (const entry of listOf(entries)) {
    try {
      const one = readOne(entry);
      const place = places.get(nameOf(one)) ?? read.pix.length;
      read.pix[place] = together(read.pix[place] ?? one, one);
      places.set(nameOf(one), place);
    } catch (error) {
      if (!(error instanceof UnreadableAnswer)) throw error;
      read.failures.push(error);
      read.unreadable.push(namesOf(entry));
    }
  }
  return read;
}

/** Two copies of a Pix that differ in more than its returns are both kept. */
const nameOf = ({ endToEndId, txid, amount }: ReceivedPix) => `${endToEndId} ${txid} ${amount}`;

/**
 * @returns a Pix that was read twice, with each return once, in the later of its states. Those that can't be read in one
 * place are read as far as the other shows as many
 */
export function together(pix: ReceivedPix, again: ReceivedPix = pix): ReceivedPix {
  let all = pix.refunds;
  let odd = 0;
  for (const one of again.refunds) {
    const known = all.find(({ id }) => isSameId(id, one.id));
    if (known && isAnother(one, known)) odd += 1;
    else all = withRefund(all, one);
  }
  const most = Math.max(returnsIn(pix), returnsIn(again));
  const areOddMade = odd > 0 || pix.areOddMade || again.areOddMade;
  const oddRefunds = Math.max(odd, most - all.length);
  return { ...pix, refunds: all, oddRefunds, ...(areOddMade && { areOddMade }) };
}

const returnsIn = ({ refunds, oddRefunds }: ReceivedPix) => refunds.length + oddRefunds;

function namesOf(entry: unknown): UnreadablePix {
  const { endToEndId, txid, chave, devolucoes } = isObject(entry) ? entry : {};
  const id = readId(endToEndId);
  const { oddRefundsAt: _, ...refunds } = readRefunds(devolucoes, id);
  return { endToEndId: id, txid: readTxid(txid), key: textOf(chave), ...refunds };
}

/** A status or a nature in capitals, as API Pix has them, whatever a bank makes of them. */
function readStatus(value: unknown): string | null {
  return textOf(value)?.trim().toUpperCase() || null;
}

/** An id that the bank is asked for: blanks around it are no part of it. */
function readId(value: unknown): string | null {
  return textOf(value)?.trim() || null;
}

/**
 * @returns the id that was asked for, if one was, whatever case the answer has it in
 * @throws UnreadableAnswer with the field's name, for no id and for another than the one that was asked for
 */
function idIn(value: unknown, asked: string | null, name: string): string {
  const id = readId(value) ?? asked;
  if (id === null || id.toUpperCase() !== (asked ?? id).toUpperCase()) throw new UnreadableAnswer(name);
  return asked ?? id;
}

/** Ours has small letters, whatever a bank makes of them. */
function readTxid(value: unknown): string | null {
  const txid = readId(value);
  const paymentId = txid === null ? undefined : paymentIdOf(txid);
  return paymentId ? txidOf(paymentId) : txid;
}

/**
 * One Pix as listed, in a charge or in a callback. A refund that can't be read is counted and hides nothing else.
 * Throws UnreadableAnswer.
 * @param asked the endToEndId that was asked for, if one was: the answer may leave it out, but is about no other
 */
export function readPix(entry: unknown, asked: string | null = null): ReceivedPix {
  const pix = objectIn(entry, 'pix');
  const endToEndId = idIn(pix.endToEndId, asked, 'pix.endToEndId');
  const amount = parseAmount(pix.valor);
  if (!amount) throw new UnreadableAnswer('pix.valor');
  const refunds = readRefunds(pix.devolucoes, endToEndId);
  return {
    endToEndId,
    txid: readTxid(pix.txid),
    key: textOf(pix.chave),
    amount,
    ...paidAtOf(pix.horario, endToEndId),
    ...refunds,
  };
}

const dayMs = 24 * 60 * 60_000;

const isDaysBefore = (time: Date, ordered: Date | null) =>
  ordered !== null && time.getTime() < ordered.getTime() - dayMs;

/** The endToEndId has the minute of the order: it counts without a time, and for one of days before the order. */
function paidAtOf(horario: unknown, endToEndId: string): Pick<ReceivedPix, 'paidAt' | 'paidAtOtherwise'> {
  const ordered = timeInside(endToEndId);
  const time = readTime(horario, ordered);
  const isBefore = time && isDaysBefore(time.at, ordered);
  const paidAt = isBefore ? ordered : (time?.at ?? ordered);
  if (!paidAt) throw new UnreadableAnswer('pix.horario');
  return { paidAt, ...(time?.otherwise && !isBefore && { paidAtOtherwise: time.otherwise }) };
}

type Refunds = Pick<ReceivedPix, 'refunds' | 'oddRefunds' | 'oddRefundsAt' | 'areOddMade'>;

/** Each refund is read once, in the later of its states: a list that repeats one does not give it back twice. */
function readRefunds(entries: unknown, endToEndId: string | null): Refunds {
  const read: Refunds = { refunds: [], oddRefunds: 0 };
  for (const entry of listOf(entries)) {
    try {
      read.refunds = withRefund(read.refunds, withOwnId(readRefund(entry), endToEndId));
    } catch (error) {
      if (!(error instanceof UnreadableAnswer)) throw error;
      // One that was not made took nothing: it leaves no doubt of the Pix.
      const status = isObject(entry) ? readStatus(entry.status) : null;
      if (status === 'NAO_REALIZADO') continue;
      read.oddRefunds += 1;
      if (status !== 'EM_PROCESSAMENTO') read.areOddMade = true;
      const at = timeOfOdd(entry);
      if (at) read.oddRefundsAt = [...(read.oddRefundsAt ?? []), at];
    }
  }
  return read;
}

/** Ours has small letters, whatever a bank makes of them. The bank's own keep theirs. */
function withOwnId(refund: Refund, endToEndId: string | null): Refund {
  const id = refund.id.toLowerCase();
  const isOurs = id !== refund.id && endToEndId !== null && refundOrdinalOf(endToEndId, id) !== null;
  return isOurs ? { ...refund, id } : refund;
}

function withRefund(refunds: Refund[], one: Refund): Refund[] {
  const known = refunds.find(({ id }) => isSameId(id, one.id));
  if (!known) return [...refunds, one];
  if (isAnother(one, known)) throw new UnreadableAnswer('devolucao.id');
  const both = isLater(one, known) ? filledFrom(one, known) : filledFrom(known, one);
  return refunds.map((each) => (each === known ? { ...both, id: known.id } : each));
}

/** A copy may lack what another one tells. Times and reasons are of one status alone. */
function filledFrom(refund: Refund, copy: Refund): Refund {
  const isSame = refund.status === copy.status;
  return {
    ...refund,
    rtrId: refund.rtrId ?? copy.rtrId,
    nature: refund.nature ?? copy.nature,
    reason: refund.reason ?? (isSame ? copy.reason : null),
    settledAt: refund.settledAt ?? (isSame ? copy.settledAt : null),
  };
}

/** @returns whether two ids, or two rtrIds, of returns are one, whatever case a bank makes of them */
export function isSameId(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** Each return has an rtrId of its own: two of them, or two amounts that went back, are two returns under one id. */
function isAnother(one: Refund, known: Refund): boolean {
  const statuses = [one.status, known.status];
  if (statuses.includes('NAO_REALIZADO')) return false;
  const isOfOtherId = one.rtrId !== null && known.rtrId !== null && !isSameId(one.rtrId, known.rtrId);
  return isOfOtherId || (!statuses.includes('EM_PROCESSAMENTO') && one.amount !== known.amount);
}

const statuses: readonly Refund['status'][] = ['EM_PROCESSAMENTO', 'NAO_REALIZADO', 'DEVOLVIDO'];

/** @returns whether a refund's state comes after another one of it: copies of a bank lag behind each other */
function isLater({ status }: Pick<Refund, 'status'>, than: Pick<Refund, 'status'>): boolean {
  return statuses.indexOf(status) > statuses.indexOf(than.status);
}

function timeOfOdd(entry: unknown): Date | null {
  const times = isObject(entry) && isObject(entry.horario) ? entry.horario : {};
  const rtrId = isObject(entry) ? readId(entry.rtrId) : null;
  return timeOfReturn(times.liquidacao, rtrId) ?? timeOfReturn(times.solicitacao, rtrId);
}

/**
 * One refund. Throws UnreadableAnswer. A refund with an unknown status counts as still under way.
 * @param asked the id that was asked for, if one was: the answer may leave it out, but is about no other
 */
export function readRefund(entry: unknown, asked: string | null = null): Refund {
  const refund = objectIn(entry, 'devolucao');
  const id = idIn(refund.id, asked, 'devolucao.id');
  const amount = parseAmount(refund.valor);
  if (!amount) throw new UnreadableAnswer('devolucao.valor');
  const told = readStatus(refund.status);
  const rtrId = readId(refund.rtrId);
  const settledAt = isObject(refund.horario) ? timeOfReturn(refund.horario.liquidacao, rtrId) : null;
  return {
    id,
    rtrId,
    amount,
    status: statuses.find((one) => one === told) ?? 'EM_PROCESSAMENTO',
    nature: readStatus(refund.natureza),
    reason: textOf(refund.motivo),
    settledAt,
  };
}

/** The rtrId has the minute of the return: a time of days before it is none. */
function timeOfReturn(horario: unknown, rtrId: string | null): Date | null {
  const minute = timeInside(rtrId ?? '');
  const time = readTime(horario, minute);
  return time && !isDaysBefore(time.at, minute) ? time.at : null;
}

/** A list, or the single object that some PSPs (and the document's own example) send in its place. */
export function listOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  return isObject(value) ? [value] : [];
}

export function objectIn(value: unknown, name: string): JsonObject {
  if (!isObject(value)) throw new UnreadableAnswer(name);
  return value;
}
