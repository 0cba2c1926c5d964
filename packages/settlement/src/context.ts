import type { Database } from '@payments/database/connection';
import type { PixClient } from '@payments/pix/client';
import type { Logger } from 'pino';

/** What settling needs: the database, the PSP, and where the payment's QR image is served. */
export type SettlementContext = {
  db: Database;
  pix: PixClient;
  log: Logger;
  now: () => Date;
  publicUrl: string;
};
