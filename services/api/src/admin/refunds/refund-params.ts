import { type Static, Type } from '@sinclair/typebox';

/** The path parameters of what is done to one refused refund. */
export const refundParams = Type.Object({
  id: Type.String({ description: 'Identifier of the payment.' }),
  refundId: Type.String({ description: 'Identifier of the refund that the bank refused.' }),
});

export type RefundParams = Static<typeof refundParams>;
