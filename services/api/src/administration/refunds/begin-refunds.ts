import { atBankOf } from '@payments/settlement/context';
import { carryOutRefunds, type DueRefunds } from '@payments/settlement/refund';
import type { FastifyBaseLogger } from 'fastify';
import type { AdministrationContext } from '../../context.ts';

/** Asks a bank at once for refunds that were just ordered. What fails is left to the scan. */
export function beginRefunds(
  context: AdministrationContext,
  { bank, ...due }: DueRefunds & { bank: string },
  log: FastifyBaseLogger,
): void {
  const begin = async () => carryOutRefunds(atBankOf(context, bank), due);
  begin().catch((error: unknown) => log.warn({ err: error }, 'refunds are left to the scan'));
}
