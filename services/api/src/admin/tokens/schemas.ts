import { Type } from '@sinclair/typebox';
import { reasonField } from '../author.ts';
import { id, optional, time, timeOrNull } from '../shapes.ts';

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

export const tokenSchemas = [Token, TokenList, NewTokenBody, NewToken];
