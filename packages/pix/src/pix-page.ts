import { listOf, objectIn, readPix } from './answers.ts';
import { isObject } from './json.ts';
import type { HttpAnswer } from './transport.ts';
import type { ReceivedPix } from './types.ts';

/** A page of received Pix; `unreadable` counts entries that had to be left out. */
export type PixPage = { pix: ReceivedPix[]; pages: number; unreadable: number };

/** @returns a page of a list that holds nothing */
export function emptyPage(): PixPage {
  return { pix: [], pages: 1, unreadable: 0 };
}

// Enough to read a page within one list's time, and few for a bank whose limits are unknown.
const readAtOnce = 5;

/** Reads each Pix that was listed without its txid. A Pix that has none belongs to no charge. */
export async function withTxids(page: PixPage, getPix: ReadPix): Promise<PixPage> {
  const found: (ReceivedPix | null)[] = [];
  for (let start = 0; start < page.pix.length; start += readAtOnce) {
    const some = page.pix.slice(start, start + readAtOnce);
    found.push(...(await Promise.all(some.map((one) => withTxid(one, getPix)))));
  }
  const pix = found.filter((one) => one !== null);
  return { ...page, pix, unreadable: page.unreadable + found.length - pix.length };
}

type ReadPix = (endToEndId: string) => Promise<ReceivedPix | null>;

/** @returns null for a malformed endToEndId, which can't be read */
async function withTxid(one: ReceivedPix, getPix: ReadPix): Promise<ReceivedPix | null> {
  if (one.txid !== null) return one;
  try {
    return (await getPix(one.endToEndId)) ?? one;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** @throws UnreadableAnswer */
export function readPage(answer: HttpAnswer): PixPage {
  const body = objectIn(answer.body, 'pix');
  const page: PixPage = { pix: [], pages: pagesIn(body.parametros), unreadable: 0 };
  for (const entry of listOf(body.pix)) {
    try {
      page.pix.push(readPix(entry));
    } catch {
      page.unreadable += 1;
    }
  }
  return page;
}

function pagesIn(parameters: unknown): number {
  const paging = isObject(parameters) && isObject(parameters.paginacao) ? parameters.paginacao : {};
  const pages = Number(paging.quantidadeDePaginas);
  return Number.isInteger(pages) && pages > 0 ? pages : 1;
}
