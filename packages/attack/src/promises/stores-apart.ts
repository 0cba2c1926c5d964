import { storeNameIn } from '../receivers/receivers.ts';
import { breachOf, type Check } from './promise.ts';

/** Promise 6: a store receives only its own webhooks. */
export const storesApart: Check = ({ observations }) => {
  const names = new Map(observations.stores.map(({ id, name }) => [id, name]));
  return observations.visits
    .filter(({ url, event }) => storeNameIn(new URL(url).pathname) !== names.get(event.storeId))
    .map(({ url, event }) =>
      breachOf(6, event.id, `a webhook of ${names.get(event.storeId)} came to ${url}`),
    );
};
