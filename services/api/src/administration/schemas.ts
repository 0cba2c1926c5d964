import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { CsvTable } from '../http/csv.ts';
import { accountSchemas } from '../people/accounts/fields.ts';
import { personalDataSchemas } from '../people/erasure/actions.ts';
import { keySchemas } from '../people/keys/actions.ts';
import { bankSchemas, chargeProblemSchemas } from './banks/schemas.ts';
import {
  reconciliationSchemas,
  statementSchemas,
  totalsSchemas,
  unmatchedPixSchemas,
} from './books/schemas.ts';
import { deliverySchemas } from './deliveries/schemas.ts';
import { overviewSchemas } from './home/schemas.ts';
import { noticeSchemas } from './notices/schemas.ts';
import { paymentSchemas } from './payments/schemas.ts';
import { changeSchemas } from './record/schemas.ts';
import { refundSchemas } from './refunds/schemas.ts';
import { storeSchemas, tokenSchemas, webhookSecretSchemas } from './stores/schemas.ts';

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
  ...noticeSchemas,
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
