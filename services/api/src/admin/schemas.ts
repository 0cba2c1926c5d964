import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { CsvTable } from '../docs/csv-answer.ts';
import { accountSchemas } from './accounts/schemas.ts';
import { bankSchemas } from './banks/schemas.ts';
import { changeSchemas } from './changes/schemas.ts';
import { chargeProblemSchemas } from './charge-problems/schemas.ts';
import { deliverySchemas } from './deliveries/schemas.ts';
import { keySchemas } from './keys/schemas.ts';
import { overviewSchemas } from './overview/schemas.ts';
import { paymentSchemas } from './payments/schemas.ts';
import { personalDataSchemas } from './personal-data/schemas.ts';
import { reconciliationSchemas } from './reconciliation/schemas.ts';
import { refundSchemas } from './refunds/schemas.ts';
import { statementSchemas } from './statements/schemas.ts';
import { storeSchemas } from './stores/schemas.ts';
import { tokenSchemas } from './tokens/schemas.ts';
import { totalsSchemas } from './totals/schemas.ts';
import { unmatchedPixSchemas } from './unmatched-pix/schemas.ts';
import { webhookSecretSchemas } from './webhook-secrets/schemas.ts';

/** The named schemas of the admin API's document. */
export const adminSchemas = [
  ...storeSchemas,
  ...bankSchemas,
  ...tokenSchemas,
  ...webhookSecretSchemas,
  ...paymentSchemas,
  ...refundSchemas,
  ...unmatchedPixSchemas,
  ...chargeProblemSchemas,
  ...reconciliationSchemas,
  ...deliverySchemas,
  ...changeSchemas,
  ...accountSchemas,
  ...keySchemas,
  ...personalDataSchemas,
  ...overviewSchemas,
  ...totalsSchemas,
  ...statementSchemas,
  CsvTable,
];

/** @returns a reference to a named schema, with its type */
export function refTo<T extends TSchema>(schema: T) {
  return Type.Unsafe<Static<T>>(Type.Ref(schema.$id ?? ''));
}
