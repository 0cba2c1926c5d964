import { setTimeout as sleep } from 'node:timers/promises';
import type { PixClient } from './client.ts';
import { PixUnavailable } from './errors.ts';
import type { PixPage } from './pix-page.ts';
import type { PixRange } from './requests.ts';

/** Far more than a PSP has of any range that is asked for, and few enough to keep in memory. */
const mostPages = 2_000;
// Short lists, which nearly all are, lose no time. A long one leaves the PSP room for other calls.
const pagesAtOnce = 3;
const pauseMs = 10;

export type ListOptions = {
  /** Ends the list when nobody waits for it any more. */
  signal?: AbortSignal | undefined;
  mostPages?: number;
};

/**
 * The pages that a PSP lists of a range, one after the other, whatever its totals say. An empty page is the last one;
 * where the list has not reached its total, it is asked for once more before. The page that fulfils both
 * `quantidadeDePaginas` and `quantidadeTotalDeItens` is the last one, too. Where these are missing, or less than what is
 * listed, a full page is not.
 * @throws PixUnavailable, also (`unreadable`) for a list that repeats itself without reaching its total, or has no end;
 * PixRefused; the signal's reason
 */
export async function* everyPage(
  client: Pick<PixClient, 'listPix'>,
  range: Omit<PixRange, 'page'>,
  { signal, mostPages: most = mostPages }: ListOptions = {},
): AsyncGenerator<PixPage> {
  const seen = createSeen();
  let total = 0;
  for (let page = 0; page < most; page += 1) {
    if (page >= pagesAtOnce) await pause(signal);
    signal?.throwIfAborted();
    const sizeBefore = seen.size();
    const read = () => client.listPix({ ...range, page });
    const first = await read();
    // A bank that says by a status that there is nothing gives no total with it.
    const listed = isEmpty(first) && sizeBefore < (first.items ?? total) ? await read() : first;
    total = listed.items ?? total;
    seen.add(listed);
    const isRepeated = !isEmpty(listed) && seen.size() === sizeBefore;
    const { pages, items } = listed;
    const hasAll = items === undefined ? !isRepeated || page >= pages : seen.size() >= items;
    if (isRepeated && !hasAll) throw new PixUnavailable('listPix', 'unreadable', 'paginaAtual');
    yield listed;
    const isDoubtful = items === undefined ? pages === 0 : seen.size() > items;
    const isLast = page + 1 >= pages && !(isDoubtful && listed.isFull);
    if (isEmpty(listed) || isRepeated || (hasAll && isLast)) return;
  }
  throw new PixUnavailable('listPix', 'unreadable', 'quantidadeDePaginas');
}

const isEmpty = ({ pix, unreadable }: PixPage) => pix.length + unreadable.length === 0;

/** Counts listed Pix once each: pages overlap when a Pix arrives between them. */
function createSeen() {
  const ids = new Set<string>();
  let nameless = 0;
  return {
    size: () => ids.size + nameless,
    add({ pix, unreadable }: PixPage) {
      for (const { endToEndId } of pix) ids.add(endToEndId);
      for (const { endToEndId } of unreadable) {
        if (endToEndId === null) nameless += 1;
        else ids.add(endToEndId);
      }
    },
  };
}

async function pause(signal: AbortSignal | undefined): Promise<void> {
  // The caller's own reason is thrown, not the timer's.
  await sleep(pauseMs, undefined, { signal }).catch(() => {});
}
