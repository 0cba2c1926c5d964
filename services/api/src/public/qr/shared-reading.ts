import type { KnownFacts } from '@payments/database/payments/payer-pages';

type Read = (known: KnownFacts[]) => Promise<KnownFacts[]>;
type Batch = { known: KnownFacts[]; news: Promise<Map<string, KnownFacts>> };

/**
 * Reads for all requests that wait, one statement at a time: each image asks whether its code may still be paid, and
 * without this a flood of images would take the connections of sales.
 * @returns a function that reads what is new of a payment; undefined if nothing is
 */
export function sharedReading(read: Read): (known: KnownFacts) => Promise<KnownFacts | undefined> {
  let next: Batch | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const begin = (): Batch => {
    const known: KnownFacts[] = [];
    const news = last.then(async () => {
      next = undefined;
      return new Map((await read(known)).map((facts) => [facts.id, facts]));
    });
    last = news.catch(() => undefined);
    return { known, news };
  };
  return async (facts) => {
    next ??= begin();
    const { known, news } = next;
    known.push(facts);
    return (await news).get(facts.id);
  };
}
