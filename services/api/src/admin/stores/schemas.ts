import { Type } from '@sinclair/typebox';
import { reasonField } from '../author.ts';
import { id, numberOrNull, optional, time, timeOrNull } from '../shapes.ts';
import { NewStoreBody, StoreChangeBody } from './store-fields.ts';

const Store = Type.Object(
  {
    id: id('Identifier of the store.'),
    name: Type.String({ description: 'What people call it.' }),
    active: Type.Boolean({ description: 'Whether its tokens work; if not, they get 403 `Loja inativa.`' }),
    feePercent: numberOrNull('Percentage of the amount that it pays for each payment; null for none.'),
    feeFixed: numberOrNull('What it pays for each payment, in BRL; null for none.'),
    maxAmount: Type.Number({ description: 'Highest amount of one payment, in BRL.' }),
    reviewAbove: numberOrNull('A Pix that reaches this amount waits in review, in BRL; null for none does.'),
    createdAt: time('When it was created.'),
  },
  { $id: 'Store', description: 'A store, and the terms of its payments.' },
);

const StoreList = Type.Object(
  { items: Type.Array(Type.Ref('Store'), { description: 'All stores, oldest first.' }) },
  { $id: 'StoreList', description: 'Every store.' },
);

const Token = Type.Object(
  {
    id: id('Identifier of the token; not the token itself.'),
    createdAt: time('When it was generated.'),
    expiresAt: timeOrNull('When it stops working; null for never by itself.'),
    deactivatedAt: timeOrNull('When it was deactivated.'),
    supersededAt: timeOrNull('When a newer one replaced it.'),
    lastUsedAt: timeOrNull('The last request that it opened, to about ten seconds.'),
  },
  { $id: 'Token', description: 'A token without its secret.' },
);

const TokenList = Type.Object(
  { items: Type.Array(Type.Ref('Token'), { description: 'All of the store’s, newest first.' }) },
  { $id: 'TokenList', description: 'A store’s tokens, without their secrets.' },
);

export const NewTokenBody = Type.Object(
  {
    expiresAt: optional(
      Type.String(),
      'When it stops working: an ISO 8601 date-time with its offset. Null or absent: never by itself.',
    ),
    reason: reasonField,
  },
  { $id: 'NewTokenRequest', description: 'How long a new token is to work.' },
);

const NewToken = Type.Object(
  {
    id: id('Identifier of the token, to deactivate it by.'),
    token: Type.String({ description: 'The token itself, shown this once: only its hash is stored.' }),
    createdAt: time('When it was generated.'),
    expiresAt: timeOrNull('When it stops working; null for never by itself.'),
  },
  { $id: 'NewToken', description: 'A token that was just generated.' },
);

const WebhookSecret = Type.Object(
  {
    secret: Type.String({ description: 'Signs the store’s webhooks (Standard Webhooks).' }),
    previousSecret: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'The one before, which signs beside it until `previousUntil`.',
    }),
    previousUntil: timeOrNull('When the one before stops signing; null where it has.'),
  },
  { $id: 'WebhookSecret', description: 'The secrets in force for a store’s webhooks.' },
);

export const storeSchemas = [
  Store,
  StoreList,
  NewStoreBody,
  StoreChangeBody,
  Token,
  TokenList,
  NewTokenBody,
  NewToken,
  WebhookSecret,
];
