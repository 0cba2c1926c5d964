import { type Static, Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { inviteAgain } from '../../accounts/invite.ts';
import type { ApiContext } from '../../context.ts';
import { answerOf } from '../../docs/answers.ts';
import { errors } from '../../errors/errors.ts';
import { authorOf, optionalBody, ReasonBody } from '../author.ts';
import { adminAnswersOf, notFound, ofChange } from '../conditions.ts';
import { type IdParams, idOf, idOr } from '../parameters.ts';
import { refTo } from '../schemas.ts';

const schema = {
  operationId: 'inviteAccount',
  summary: 'Make a new invitation',
  description:
    'For a person who lost the link, the password or the second factor. Used, it sets a new password, removes the ' +
    'second factor and ends every session of the person. The invitation before it stops working at once.',
  tags: ['Accounts'],
  params: idOf('Identifier of the account.'),
  body: refTo(ReasonBody),
  'x-optional-body': true,
  response: {
    201: answerOf('The account with its invitation.', Type.Ref('InvitedAccount')),
    ...adminAnswersOf(ofChange, notFound.account),
  },
};

/** `POST /admin/accounts/{id}/invitation`. */
export function inviteRoute(app: FastifyInstance, context: ApiContext): void {
  type Invite = { Params: IdParams; Body: Static<typeof ReasonBody> };
  const options = {
    schema,
    config: { may: 'manageAccounts' as const },
    preValidation: optionalBody,
  } as const;
  app.post<Invite>('/accounts/:id/invitation', options, async (request, reply) => {
    const by = authorOf(request, request.body);
    const id = idOr(errors.accountNotFound, request.params.id);
    return reply.code(201).send(await inviteAgain(context, id, by));
  });
}
