import type { Database } from '@payments/database/connection';
import { everyTotpSecret, replaceTotpSecret } from '@payments/database/people/second-factor';
import { decrypt, encrypt, keyRing, type SealingKeys, sealIn } from '@payments/runtime/secret-box';
import type { StoredSecrets } from '@payments/service/stored-secrets';
import { keyFor } from '../../access/secrets.ts';

/** The keys of second factors: there is always one that seals, `SECRETS_KEY` or else `ADMIN_KEY`. */
export type FactorKeys = SealingKeys & { current: string };

const sealingKey = (key: string) => keyFor('second factor', key);

/** @param owner the account that the secret is of: nobody can use it for another */
export function seal(secret: Buffer, owner: string, { current }: FactorKeys): Buffer {
  return encrypt(sealingKey(current), secret, owner);
}

/** @returns the secret, or undefined if it was sealed for another account or with an unknown key */
export function unseal(sealed: Buffer, owner: string, keys: FactorKeys): Buffer | undefined {
  return decrypt(keyRing(keys, sealingKey).all, sealed, owner);
}

/** The second factors of accounts, to be opened at the start. */
export function storedFactors(db: Database, keys: FactorKeys): StoredSecrets {
  const ring = keyRing(keys, sealingKey);
  return {
    name: 'of second factors',
    async *every() {
      for await (const { id, stored } of everyTotpSecret(db)) {
        const sealAnew = async () => {
          const secret = decrypt(ring.all, stored, id);
          if (secret) await replaceTotpSecret(db, id, { was: stored, becomes: seal(secret, id, keys) });
        };
        yield { seal: sealIn(ring, stored, id), sealAnew };
      }
    },
  };
}
