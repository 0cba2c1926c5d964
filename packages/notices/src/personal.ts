import type { Role } from '@payments/domain/roles';
import type { PersonalKind } from './kinds.ts';

/** The content of mails to the person concerned. Facts are kept in the database as they are, so no secret is among them. */

/** A change of a person's access, or something that was done with it. */
export type AccessChange =
  | { change: 'role'; role: Role; store: string | null }
  | { change: 'active'; active: boolean }
  /** The key’s name. */
  | { change: 'key_made'; key: string }
  /** The store’s name. */
  | { change: 'token_made'; store: string }
  | {
      change:
        | 'password'
        | 'second_factor_on'
        | 'second_factor_off'
        | 'passkey_added'
        | 'passkey_removed'
        | 'new_place';
    };

/** Where a request came from: the address, and the browser in words (`Chrome no Windows`). */
export type Origin = { address: string | null; browser: string | null };

export type PersonalFacts = {
  /** `until` is the moment from which the link no longer works, ISO 8601. */
  invitation: { name: string; until: string };
  /** `asked` is true if somebody asked for it at the panel, false if an owner made it. */
  password_reset: { name: string; until: string; asked: boolean };
  /** `origin` is null where another person made the change. */
  access_changed: AccessChange & { name: string; at: string; origin: Origin | null };
};

/** A mail to the person concerned, before it has words. `link` works once; null for kinds without. */
export type PersonalNotice = {
  [Kind in PersonalKind]: {
    kind: Kind;
    facts: PersonalFacts[Kind];
    link: Kind extends 'access_changed' ? null : string;
  };
}[PersonalKind];
