import { createHash, timingSafeEqual } from 'node:crypto';
import { fastifyPlugin } from 'fastify-plugin';
import { errors } from '../errors/errors.ts';
import { bearerToken } from './bearer.ts';

/** Every route of the scope it is registered in needs `Authorization: Bearer $ADMIN_KEY` (design 6). */
export const adminAuthentication = fastifyPlugin(
  async (app, { adminKey }: { adminKey: string }) => {
    const expected = digest(adminKey);
    app.addHook('onRequest', async (request) => {
      const given = bearerToken(request.headers.authorization);
      if (given === undefined) throw errors.tokenMissing();
      if (!timingSafeEqual(digest(given), expected)) throw errors.adminKeyInvalid();
    });
  },
  { name: 'admin-authentication' },
);

// Equal lengths, whatever was given: the comparison's time tells nothing.
function digest(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}
