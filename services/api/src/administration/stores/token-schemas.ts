import { Type } from '@sinclair/typebox';
import { reasonField } from '../../access/author.ts';
import { id, optional, time, timeOrNull } from '../shapes.ts';

const Token = Type.Object(
  {
    id: id('Identifier of the token; not the token itself.'),
    createdAt: time('When it was generated.'),
    expiresAt: timeOrNull('When it stops working; null for never by itself.'),
    deactivatedAt: timeOrNull('Time of its deactivation.'),
    supersededAt: timeOrNull('When a newer token replaced it.'),
    lastUsedAt: timeOrNull('Time of the last request with the token, to about ten seconds.'),
  },
  { $id: 'Token', description: 'A token without its secret.' },
);

const TokenList = Type.Object(
  { items: Type.Array(Type.Ref('Token'), { description: 'The store’s tokens, newest first.' }) },
  { $id: 'TokenList', description: 'A store’s tokens, without their secrets.' },
);

export const NewTokenBody = Type.Object(
  {
    expiresAt: optional(
      Type.String(),
      'Expiry: an ISO 8601 date-time with offset. Null or absent: the token does not expire.',
    ),
    reason: reasonField,
  },
  { $id: 'NewTokenRequest', description: 'Settings of a new token.' },
);

const NewToken = Type.Object(
  {
    id: id('Identifier of the token, for deactivating it.'),
    token: Type.String({ description: 'The token. It is shown only once: the service stores its hash.' }),
    createdAt: time('When it was generated.'),
    expiresAt: timeOrNull('When it stops working; null for never by itself.'),
  },
  { $id: 'NewToken', description: 'A token that was just generated.' },
);

export const tokenSchemas = [Token, TokenList, NewTokenBody, NewToken];
