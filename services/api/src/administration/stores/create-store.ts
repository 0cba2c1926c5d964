import type { Author } from '@payments/database/record/changes';
import { insertStore, type Store } from '@payments/database/stores/stores';
import { newId } from '@payments/domain/identifiers';
import { webhookSecretOwner } from '@payments/service/stored-secrets';
import { newWebhookSecret } from '@payments/webhooks/signature';
import type { Static } from '@sinclair/typebox';
import type { AdministrationContext } from '../../context.ts';
import { defaultMaxAmount, type NewStoreBody, readName, readStoreFields } from './store-fields.ts';

/**
 * Creates an active store with its own webhook secret.
 * @throws ApiError 400 for the first wrong field
 */
export async function createStore(
  { db, banks, now, secrets }: Pick<AdministrationContext, 'db' | 'banks' | 'now' | 'secrets'>,
  body: Static<typeof NewStoreBody>,
  by: Author,
): Promise<Store> {
  const fields = readStoreFields(body, banks);
  const id = newId();
  const store = {
    id,
    name: readName(body.name),
    feePpm: fields.feePpm ?? null,
    feeFixed: fields.feeFixed ?? null,
    maxAmount: fields.maxAmount ?? defaultMaxAmount,
    reviewAbove: fields.reviewAbove ?? null,
    banks: fields.banks ?? null,
    webhookSecret: secrets.seal(newWebhookSecret(), webhookSecretOwner(id)),
    createdAt: now(),
  };
  return insertStore(db, store, by);
}
