import { type Static, Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { answerOf } from '../../docs/answers.ts';
import { authorOf, optionalBody, ReasonBody } from '../author.ts';
import { adminAnswersOf, notFound, ofChange, ofUnmatchedRefund } from '../conditions.ts';
import { refundView } from '../refunds/refund-view.ts';
import { refTo } from '../schemas.ts';
import { refundUnmatched } from './refund-unmatched.ts';

const params = Type.Object({
  endToEndId: Type.String({ description: 'endToEndId of the unmatched Pix.' }),
});

const schema = {
  operationId: 'refundUnmatchedPix',
  summary: 'Refund an unmatched Pix',
  description: 'Refunds all that is left of the Pix.',
  tags: ['Refunds'],
  params,
  body: refTo(ReasonBody),
  'x-optional-body': true,
  response: {
    202: answerOf('The refund was ordered and goes to the bank now.', Type.Ref('Refund')),
    ...adminAnswersOf(ofChange, notFound.unmatchedPix, ofUnmatchedRefund),
  },
};

/** `POST /admin/unmatched-pix/{endToEndId}/refund`. */
export function refundRoute(app: FastifyInstance, context: ApiContext): void {
  type Order = { Params: Static<typeof params>; Body: Static<typeof ReasonBody> };
  const path = '/unmatched-pix/:endToEndId/refund';
  app.post<Order>(
    path,
    { schema, config: { may: 'refundUnmatched' }, preValidation: optionalBody },
    async (request, reply) => {
      const order = { endToEndId: request.params.endToEndId, by: authorOf(request, request.body) };
      const refund = await refundUnmatched(context, order, request.log);
      return reply.code(202).send(refundView(refund));
    },
  );
}
