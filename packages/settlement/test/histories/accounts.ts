import { defaultBank } from '@payments/pix/bank-settings';
import type { BankAccount } from '@payments/pix/banks';
import { bacen } from '@payments/pix/profiles/bacen';

/** The banks of a world of two; a world of one has the first. */
export const bankIds: readonly string[] = [defaultBank, 'second'];

/** An entry `id` of the configuration, behind the front; `account` is the one that it reaches, its own if not given. */
export type AccountAt = { id: string; url: string; key: string; account?: string };

/** @returns the accounts in this order, as the services' configuration would have them */
export function accountsOf(places: readonly AccountAt[]): BankAccount[] {
  return places.map(({ id, url, key, account = id }) => {
    const options = { ...credentialsOf(account), url, key, timeoutMs: 2_000, profile: bacen };
    return { id, options, callbackUrl: null };
  });
}

/** A bank refuses requests that are meant for the other. */
export const credentialsOf = (id: string) =>
  id === defaultBank
    ? { clientId: 'client', clientSecret: 'secret' }
    : { clientId: `client-${id}`, clientSecret: `secret-${id}` };
