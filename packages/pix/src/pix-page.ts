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

/** Reads each Pix that was listed without its txid. One that has none is not of a charge. */
export async function withTxids(
  page: PixPage,
  getPix: (endToEndId: string) => Promise<ReceivedPix | null>,
): Promise<PixPage> {
  const pix: ReceivedPix[] = [];
  let { unreadable } = page;
  for (const one of page.pix) {
    try {
      pix.push(one.txid === null ? ((await getPix(one.endToEndId)) ?? one) : one);
    } catch (error) {
      // An endToEndId that is none can't be asked for.
      if (!(error instanceof RangeError)) throw error;
      unreadable += 1;
    }
  }
  return { ...page, pix, unreadable };
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
