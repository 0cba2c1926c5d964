import type { UnavailableReason } from '@payments/domain/bank-error';
import { objectIn, readEntries, together, UnreadableAnswer } from './answers.ts';
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

/** Reads each Pix that was listed without its txid. A Pix that has none belongs to no charge. */
export async function withTxids(page: PixPage, getPix: ReadPix): Promise<PixPage> {
  const read: PixPage = { ...page, pix: [] };
  for (let start = 0; start < page.pix.length; start += readAtOnce) {
    const some = page.pix.slice(start, start + readAtOnce);
    for (const one of await Promise.all(some.map((listed) => withTxid(listed, getPix)))) {
      if ('amount' in one) read.pix.push(one);
      else read.unreadable = [...read.unreadable, one];
    }
  }
  return read;
}

type ReadPix = (endToEndId: string) => Promise<ReceivedPix | null>;

/**
 * Reads a Pix by its endToEndId, and adds the returns that the list alone shows. A Pix that can't be read so holds up no
 * other of the list.
 * @returns an unreadable entry for a malformed endToEndId, which can't be asked for, and for a Pix that the bank lists but
 * does not have by its id, refuses, or shows unreadably
 */
async function withTxid(one: ReceivedPix, getPix: ReadPix): Promise<ReceivedPix | UnreadablePix> {
  if (one.txid !== null) return one;
  const { endToEndId, key, refunds, oddRefunds } = one;
  const listedAlone: UnreadablePix = { endToEndId, txid: null, key, refunds, oddRefunds };
  try {
    const alone = await getPix(endToEndId);
    return alone ? together(alone, one) : listedAlone;
  } catch (error) {
    if (isOfThisPix(error)) return listedAlone;
    throw error;
  }
}

/** A bank that is away, or that refuses us, says nothing of a Pix. */
function isOfThisPix(error: unknown): boolean {
  if (error instanceof PixUnavailable) return ofOnePix.includes(error.reason);
  return error instanceof RangeError || (error instanceof PixRefused && !error.aboutAccess);
}

const ofOnePix: readonly UnavailableReason[] = ['unreadable', 'wrong-address'];

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
  const isFull = entries.pix.length + entries.unreadable.length >= Math.min(pageSize, size ?? pageSize);
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
