import type { UnavailableReason } from '@payments/domain/bank-error';
import { listOf, objectIn, readEntries, together, UnreadableAnswer } from './answers.ts';
import { PixRefused, PixUnavailable } from './errors.ts';
import { isObject } from './json.ts';
import type { HttpAnswer } from './transport.ts';
import type { PixEntries, ReceivedPix, UnreadablePix } from './types.ts';

/**
 * A page of received Pix. `pages` and `items` are what the PSP says of the whole list: 0 pages, and no items, if
 * it does not.
 */
export type PixPage = PixEntries & { pages: number; items?: number; isFull?: boolean };

/** @returns a page of a list that holds nothing */
export function emptyPage(): PixPage {
  return { pix: [], pages: 1, unreadable: [] };
}

// Enough to read a page within one list's time, and few for a bank whose limits are unknown.
const readAtOnce = 5;

export type ReadingAlone = {
  getPix: (endToEndId: string, timeoutMs: number) => Promise<ReceivedPix | null>;
  /** The milliseconds that the page has left. */
  timeLeft: () => number;
};

/**
 * Reads each Pix that was listed without its txid. A Pix that has none belongs to no charge. One that can't be read so is
 * unreadable, and holds up no other: each has its share of the page's time.
 * @throws the failure, if the bank answers for none of them or can't be asked
 */
export async function withTxids(page: PixPage, reading: ReadingAlone): Promise<PixPage> {
  const read: PixPage = { ...page, pix: page.pix.filter(({ txid }) => txid !== null) };
  const asked = page.pix.filter(({ txid }) => txid === null);
  const silences: unknown[] = [];
  for (let start = 0; start < asked.length; start += readAtOnce) {
    const timeoutMs = reading.timeLeft() / Math.ceil((asked.length - start) / readAtOnce);
    const some = asked.slice(start, start + readAtOnce);
    for (const { pix, silence } of await Promise.all(some.map((one) => readAlone(one, timeoutMs, reading)))) {
      if (silence !== undefined) silences.push(silence);
      if ('amount' in pix) read.pix.push(pix);
      else read.unreadable = [...read.unreadable, pix];
    }
  }
  // If the bank answers for no Pix at all, the failure is the bank's.
  if (silences.length > 0 && silences.length === asked.length) throw silences[0];
  return read;
}

/** `silence`: a failure, which is this Pix's own if the bank answers for another one. */
type ReadAlone = { pix: ReceivedPix | UnreadablePix; silence?: unknown };

/**
 * Reads a Pix by its endToEndId, and adds the returns that the list alone shows.
 * @returns an unreadable entry for a malformed endToEndId, which can't be asked for, and for a Pix that the bank lists but
 * does not have by its id, refuses, shows unreadably, or does not answer for
 */
async function readAlone(one: ReceivedPix, timeoutMs: number, { getPix }: ReadingAlone): Promise<ReadAlone> {
  const { endToEndId, key, refunds, oddRefunds, areOddMade } = one;
  const odd = { oddRefunds, ...(areOddMade && { areOddMade }) };
  const pix: UnreadablePix = { endToEndId, txid: null, key, refunds, ...odd };
  try {
    const alone = await getPix(endToEndId, timeoutMs);
    return { pix: alone ? together(alone, one) : pix };
  } catch (error) {
    if (isOfThisPix(error)) return { pix };
    if (isSilence(error)) return { pix, silence: error };
    throw error;
  }
}

/** The bank answered, and its answer is about this Pix. */
function isOfThisPix(error: unknown): boolean {
  if (error instanceof PixUnavailable) return ofOnePix.includes(error.reason);
  return error instanceof RangeError || (error instanceof PixRefused && !error.aboutAccess);
}

const ofOnePix: readonly UnavailableReason[] = ['unreadable', 'wrong-address'];

/** A status, a time-out, or a refusal of us. No call was made without a token, and a 429 asks for fewer calls. */
function isSilence(error: unknown): boolean {
  if (error instanceof PixRefused) return error.operation !== 'token';
  if (!(error instanceof PixUnavailable) || error.operation === 'token') return false;
  return error.reason === 'timeout' || (error.reason === 'status' && error.status !== 429);
}

/**
 * @param pageSize the entries of a page that were asked for; the PSP may give fewer
 * @throws UnreadableAnswer
 */
export function readPage(answer: HttpAnswer, pageSize: number): PixPage {
  const body = objectIn(answer.body, 'pix');
  // Nothing that a list has: it is no empty list either.
  if (body.pix === undefined && body.parametros === undefined) throw new UnreadableAnswer('pix');
  const entries = readEntries(body.pix);
  const { size, ...totals } = pagingIn(body.parametros);
  const isFull = listOf(body.pix).length >= Math.min(pageSize, size ?? pageSize);
  return { ...entries, ...totals, isFull };
}

function pagingIn(parameters: unknown): Pick<PixPage, 'pages' | 'items'> & { size?: number } {
  const paging = isObject(parameters) && isObject(parameters.paginacao) ? parameters.paginacao : {};
  const pages = Number(paging.quantidadeDePaginas);
  const items = Number(paging.quantidadeTotalDeItens ?? Number.NaN);
  const size = Number(paging.itensPorPagina);
  return {
    pages: Number.isInteger(pages) && pages > 0 ? pages : 0,
    ...(Number.isInteger(items) && items >= 0 && { items }),
    ...(Number.isInteger(size) && size > 0 && { size }),
  };
}
