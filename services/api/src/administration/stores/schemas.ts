import type { Store as StoredStore } from '@payments/database/stores/stores';
import { reaisFrom } from '@payments/domain/money';
import { optionalEvents, storeChoices, tokenDeeds } from '@payments/domain/store-choices';
import { Type } from '@sinclair/typebox';
import { reasonField } from '../../access/actor.ts';
import { amounts } from '../../public/payments/schemas.ts';
import { Shape } from '../shapes.ts';

const amount = (minimum: number) => Type.Number({ minimum, maximum: amounts.mostOfAnyStore / 100 });
const name = Type.String({ minLength: 1, maxLength: 200, description: 'Name of the store.' });
const terms = {
  feePercent: Shape.optional(
    Type.Number({ minimum: 0, maximum: 100 }),
    'Percentage fee per payment, with at most four decimals; null for none.',
  ),
  feeFixed: Shape.optional(amount(0), 'Fixed fee per payment, in BRL; null for none.'),
  maxAmount: Shape.optional(
    amount(amounts.most / 100),
    'Highest amount of one payment, in BRL: 3000 or more. Null means 3000.',
  ),
  reviewAbove: Shape.optional(
    amount(0.01),
    'A Pix of this amount or more, in BRL, goes to review; null turns this off.',
  ),
  banks: Shape.optional(
    Type.Array(Type.String()),
    'Ids of the banks that may take its charges, in order of preference; null for all.',
  ),
  events: Shape.optional(
    Type.Array(Type.String({ enum: [...optionalEvents] })),
    'Events beyond the contract’s two that the store’s webhooks bring; none by default.',
  ),
  tokenMay: Shape.optional(
    Type.Array(Type.String({ enum: [...tokenDeeds] })),
    'What the store’s tokens may do beyond creating and reading; nothing by default.',
  ),
  refundLimitPerDay: Shape.optional(
    Type.Number({ minimum: 0, maximum: 1_000_000_000 }),
    'What the store’s tokens may refund on a day of São Paulo, in BRL; null for no limit.',
  ),
  reason: reasonField,
};

export const NewStoreBody = Type.Object(
  {
    name,
    test: Shape.optional(
      Type.Boolean(),
      'Whether it is a test store, for ever: the simulated bank alone has its charges, and its money is in no list or sum without `test=true`.',
    ),
    ...terms,
  },
  { $id: 'NewStore', description: 'A store to create. Fields that are not listed are ignored.' },
);
export const StoreChangeBody = Type.Object(
  {
    name: Shape.optional(name, 'Name of the store.'),
    active: Shape.optional(Type.Boolean(), 'Whether the store may use the API.'),
    ...terms,
  },
  { $id: 'StoreChange', description: 'The fields to change. Absent fields stay as they are.' },
);

const Store = Type.Object(
  {
    id: Shape.id('Identifier of the store.'),
    name: Type.String({ description: 'Name of the store.' }),
    active: Type.Boolean({
      description: 'Whether the store may use the API. If not, its token gets 403 `Loja inativa.`',
    }),
    feePercent: Shape.numberOrNull('Percentage fee per payment; null for none.'),
    feeFixed: Shape.numberOrNull('Fixed fee per payment, in BRL; null for none.'),
    maxAmount: Type.Number({ description: 'Highest amount of one payment, in BRL.' }),
    reviewAbove: Shape.numberOrNull(
      'A Pix that reaches this amount waits in review, in BRL; null for none does.',
    ),
    banks: Type.Unsafe<string[] | null>({
      type: ['array', 'null'],
      items: { type: 'string' },
      description: 'Ids of the banks that may take its charges, in order of preference; null for all.',
    }),
    test: Type.Boolean({
      description: 'Whether it is a test store: its money is not real. It stays so for ever.',
    }),
    events: Type.Array(Type.String(), {
      description: 'Events beyond the contract’s two that the store’s webhooks bring.',
    }),
    tokenMay: Type.Array(Type.String(), {
      description: 'What the store’s tokens may do beyond creating and reading: refund, cancel.',
    }),
    refundLimitPerDay: Shape.numberOrNull(
      'What the store’s tokens may refund on a day of São Paulo, in BRL; null for no limit.',
    ),
    createdAt: Shape.time('Time of creation.'),
  },
  { $id: 'Store', description: 'A store and the terms of its payments.' },
);

const StoreList = Type.Object(
  { items: Type.Array(Type.Ref('Store'), { description: 'All stores, oldest first.' }) },
  { $id: 'StoreList', description: 'Every store.' },
);

const Token = Type.Object(
  {
    id: Shape.id('Identifier of the token; not the token itself.'),
    createdAt: Shape.time('When it was generated.'),
    expiresAt: Shape.timeOrNull('When it stops working; null for never by itself.'),
    deactivatedAt: Shape.timeOrNull('Time of its deactivation.'),
    supersededAt: Shape.timeOrNull('When a newer token replaced it.'),
    lastUsedAt: Shape.timeOrNull('Time of the last request with the token, to about ten seconds.'),
  },
  { $id: 'Token', description: 'A token without its secret.' },
);

const TokenList = Type.Object(
  { items: Type.Array(Type.Ref('Token'), { description: 'The store’s tokens, newest first.' }) },
  { $id: 'TokenList', description: 'A store’s tokens, without their secrets.' },
);

export const NewTokenBody = Type.Object(
  {
    expiresAt: Shape.optional(
      Type.String(),
      'Expiry: an ISO 8601 date-time with offset. Null or absent: the token does not expire.',
    ),
    reason: reasonField,
  },
  { $id: 'NewTokenRequest', description: 'Settings of a new token.' },
);

const NewToken = Type.Object(
  {
    id: Shape.id('Identifier of the token, for deactivating it.'),
    token: Type.String({ description: 'The token. It is shown only once: the service stores its hash.' }),
    createdAt: Shape.time('When it was generated.'),
    expiresAt: Shape.timeOrNull('When it stops working; null for never by itself.'),
  },
  { $id: 'NewToken', description: 'A token that was just generated.' },
);

const WebhookSecret = Type.Object(
  {
    secret: Type.String({ description: 'Secret that signs the store’s webhooks (Standard Webhooks).' }),
    previousSecret: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'Previous secret, which also signs until `previousUntil`.',
    }),
    previousUntil: Shape.timeOrNull('When the previous secret stops signing; null if there is none.'),
  },
  { $id: 'WebhookSecret', description: 'The secrets that sign a store’s webhooks now.' },
);

export const storeSchemas = [Store, StoreList, NewStoreBody, StoreChangeBody];
export const tokenSchemas = [Token, TokenList, NewTokenBody, NewToken];
export const webhookSecretSchemas = [WebhookSecret];

/** The fields of a store that only the platform changes. */
export const fieldsOfPlatform = Object.keys(Store.properties).filter(
  (name) => !storeChoices.some((choice) => choice === name),
);

/** @returns a store as the admin API shows it; amounts in reais */
export function storeView(store: StoredStore) {
  return {
    id: store.id,
    name: store.name,
    active: store.active,
    feePercent: store.feePpm === null ? null : store.feePpm / 10_000,
    feeFixed: store.feeFixed === null ? null : reaisFrom(store.feeFixed),
    maxAmount: reaisFrom(store.maxAmount),
    reviewAbove: store.reviewAbove === null ? null : reaisFrom(store.reviewAbove),
    banks: store.banks,
    test: store.test,
    events: store.events,
    tokenMay: store.tokenMay,
    refundLimitPerDay: store.refundLimitPerDay === null ? null : reaisFrom(store.refundLimitPerDay),
    createdAt: store.createdAt.toISOString(),
  };
}
