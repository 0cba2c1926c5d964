import type { Database } from '@payments/database/connection';
import { everyMailLink, mailLinkOwner, replaceMailLink } from '@payments/database/notices/notices';
import type { Seal, SecretBox } from '@payments/database/secret-box';
import { everyWebhookSecret, replaceWebhookSecret } from '@payments/database/stores/webhook-secrets';
import { ConfigurationError } from '@payments/runtime/environment';
import type { Logger } from 'pino';

/** One kind of secret that the database keeps to be read again. */
export type StoredSecrets = {
  /** Its name in a message, such as `of webhooks`. */
  name: string;
  every(): AsyncIterable<{
    seal: Seal;
    /** Seals the same secret with the current key. Safe to repeat, and beside a change of the secret. */
    sealAnew(): Promise<void>;
  }>;
};

/** The owner of a webhook secret. A rotation makes it the store's previous one, so both have one owner. */
export const webhookSecretOwner = (storeId: string) => `webhook secret of store ${storeId}`;

/** The webhook secrets of stores. */
export function storedWebhookSecrets(db: Database, secrets: SecretBox): StoredSecrets {
  return {
    name: 'of webhooks',
    async *every() {
      for await (const { storeId, stored } of everyWebhookSecret(db)) {
        const owner = webhookSecretOwner(storeId);
        const sealAnew = async () => {
          const becomes = secrets.seal(secrets.open(stored, owner), owner);
          await replaceWebhookSecret(db, storeId, { was: stored, becomes });
        };
        yield { seal: secrets.sealOf(stored, owner), sealAnew };
      }
    },
  };
}

/** The one-time links of mails that have not left. A mail server that is away keeps them for days. */
export function storedMailLinks(db: Database, secrets: SecretBox): StoredSecrets {
  return {
    name: 'of mails',
    async *every() {
      for await (const { mailId, stored } of everyMailLink(db)) {
        const owner = mailLinkOwner(mailId);
        const sealAnew = async () => {
          const becomes = secrets.seal(secrets.open(stored, owner), owner);
          await replaceMailLink(db, mailId, { was: stored, becomes });
        };
        yield { seal: secrets.sealOf(stored, owner), sealAnew };
      }
    },
  };
}

/**
 * Opens every stored secret before the service does anything. Otherwise a lost key would show only when a webhook
 * can't be signed or somebody can't sign in.
 * @throws ConfigurationError with the number of secrets that no key opens; then nothing was changed
 */
export async function openAll(kinds: readonly StoredSecrets[]): Promise<{ old: number }> {
  const lost: string[] = [];
  let old = 0;
  for (const { name, every } of kinds) {
    const seals = { current: 0, old: 0, lost: 0 };
    for await (const { seal } of every()) seals[seal] += 1;
    if (seals.lost > 0) lost.push(`${seals.lost} ${name}`);
    old += seals.old;
  }
  if (lost.length === 0) return { old };
  throw new ConfigurationError(
    `SECRETS_KEY, SECRETS_KEY_NEXT and SECRETS_KEY_PREVIOUS do not open stored secrets: ${lost.join(', ')}`,
  );
}

/** Seals with the current key what a key before has sealed, or what was stored before there was a key. */
export async function sealAnew(kinds: readonly StoredSecrets[], log: Logger): Promise<void> {
  let secrets = 0;
  for (const { every } of kinds)
    for await (const { seal, sealAnew } of every()) {
      if (seal !== 'old') continue;
      await sealAnew();
      secrets += 1;
    }
  log.info({ secrets }, 'sealed stored secrets anew with SECRETS_KEY');
}
