import { Type } from '@sinclair/typebox';
import { id, numberOrNull, time } from '../shapes.ts';
import { NewStoreBody, StoreChangeBody } from './store-fields.ts';

const Store = Type.Object(
  {
    id: id('Identifier of the store.'),
    name: Type.String({ description: 'Name of the store.' }),
    active: Type.Boolean({
      description: 'Whether the store may use the API. If not, its token gets 403 `Loja inativa.`',
    }),
    feePercent: numberOrNull('Percentage fee per payment; null for none.'),
    feeFixed: numberOrNull('Fixed fee per payment, in BRL; null for none.'),
    maxAmount: Type.Number({ description: 'Highest amount of one payment, in BRL.' }),
    reviewAbove: numberOrNull('A Pix that reaches this amount waits in review, in BRL; null for none does.'),
    banks: Type.Unsafe<string[] | null>({
      type: ['array', 'null'],
      items: { type: 'string' },
      description: 'Ids of the banks that may take its charges, in order of preference; null for all.',
    }),
    createdAt: time('Time of creation.'),
  },
  { $id: 'Store', description: 'A store and the terms of its payments.' },
);

const StoreList = Type.Object(
  { items: Type.Array(Type.Ref('Store'), { description: 'All stores, oldest first.' }) },
  { $id: 'StoreList', description: 'Every store.' },
);

export const storeSchemas = [Store, StoreList, NewStoreBody, StoreChangeBody];
