import { roles } from '@payments/domain/roles';
import { Type } from '@sinclair/typebox';
import { reasonField } from '../../access/author.ts';
import { idOf } from '../../administration/parameters.ts';
import { id, idOrNull, oneOf, optional, time, timeOrNull } from '../../administration/shapes.ts';

export const keyParams = idOf('Identifier of the key.');

const fields = {
  id: id('Identifier of the key; not the key itself.'),
  name: Type.String({ description: 'Its name in the record.' }),
  role: oneOf(roles, 'What it may do.'),
  storeId: idOrNull('The store of a store’s role; null for a platform’s.'),
  createdAt: time('When it was made.'),
  expiresAt: timeOrNull('When it stops working; null for never by itself.'),
};

const Key = Type.Object(
  { ...fields, lastUsedAt: timeOrNull('Time of the last request with the key, to about a minute.') },
  { $id: 'Key', description: 'A program’s key without its secret.' },
);

const KeyList = Type.Object(
  { items: Type.Array(Type.Ref('Key'), { description: 'The keys, oldest first.' }) },
  { $id: 'KeyList', description: 'The keys of programs, without their secrets.' },
);

export const NewKeyBody = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 100, description: 'Its name in the record.' }),
    role: oneOf(roles, 'What it may do.'),
    storeId: optional(Type.String(), 'The store, for a store’s role only.'),
    expiresAt: optional(
      Type.String(),
      'Expiry: an ISO 8601 date-time with offset. Null or absent: the key does not expire.',
    ),
    reason: reasonField,
  },
  { $id: 'NewKeyRequest', description: 'A key to make.' },
);

const NewKey = Type.Object(
  {
    ...fields,
    key: Type.String({ description: 'The key. It is shown only once: the service stores its hash.' }),
  },
  { $id: 'NewKey', description: 'A key that was just made.' },
);

export const keySchemas = [Key, KeyList, NewKeyBody, NewKey];
