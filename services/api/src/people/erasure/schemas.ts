import { Type } from '@sinclair/typebox';
import { count, id } from '../../administration/shapes.ts';

const email = Type.String({ maxLength: 320, description: 'The person’s e-mail, in any case.' });

export const ErasureBody = Type.Object(
  { email },
  { $id: 'ErasureRequest', description: 'The person to erase.' },
);

const Erasure = Type.Object(
  {
    id: id('Identifier of the erasure, as in the record.'),
    payments: count('Payments that named the person.'),
  },
  { $id: 'Erasure', description: 'An erasure. It names nobody.' },
);

const PersonalData = Type.Object(
  {
    email,
    account: Type.Union([Type.Ref('Account'), Type.Null()], {
      description: 'The account of a person who signs in to the panel; null without one.',
    }),
    payments: Type.Array(Type.Ref('PaymentDetail'), {
      description:
        'The payments whose e-mail is this one, or whose observation, description or reference contains it, oldest first.',
    }),
    notices: Type.Array(Type.Ref('Notice'), {
      description: 'The mails that went to the address, or are to, newest first.',
    }),
  },
  { $id: 'PersonalData', description: 'All that is known of an e-mail.' },
);

export const personalDataSchemas = [ErasureBody, Erasure, PersonalData];
