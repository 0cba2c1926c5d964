import type { Database } from '@payments/database/connection';
import type { PixClient } from '@payments/pix/client';
import type { Logger } from 'pino';

/** What settlement needs: the database, the PSP, the address of QR images, and the time limits. */
export type SettlementContext = {
  db: Database;
  pix: PixClient;
  log: Logger;
  now: () => Date;
  publicUrl: string;
  /** Seconds from each refusal of a refund by the bank to the service's next order. */
  refundRetrySeconds: readonly number[];
  /** The time from a charge's expiry to its closing: a Pix that was paid in time may be seen late. */
  chargeGraceSeconds: number;
};
