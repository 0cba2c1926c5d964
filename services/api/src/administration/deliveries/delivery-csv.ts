import type { Delivery } from '@payments/database/deliveries/list';
import type { Columns } from '../../http/send-csv.ts';

/** The columns of the deliveries’ CSV. */
export const deliveryCsv: Columns<Delivery> = {
  id: ({ id }) => id,
  event: ({ event }) => event,
  paymentId: ({ paymentId }) => paymentId,
  storeId: ({ storeId }) => storeId,
  url: ({ url }) => url,
  state: ({ state }) => state,
  attempts: ({ attempts }) => attempts,
  nextAttemptAt: ({ nextAttemptAt }) => nextAttemptAt,
  lastError: ({ lastError }) => lastError,
  createdAt: ({ createdAt }) => createdAt,
};
