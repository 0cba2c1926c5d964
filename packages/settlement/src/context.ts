import type { Database } from '@payments/database/connection';
import type { PixClient } from '@payments/pix/client';
import type { Logger } from 'pino';

/** What settling needs: the database, the PSP, where the payment's QR image is served, and the rules of time. */
export type SettlementContext = {
  db: Database;
  pix: PixClient;
  log: Logger;
  now: () => Date;
  publicUrl: string;
  /** Seconds from each refusal of a refund by the bank to the next order of the service. */
  refundRetrySeconds: readonly number[];
  /** How long after its expiry a charge is closed: a Pix that was paid in time may be seen late. */
  chargeGraceSeconds: number;
};
