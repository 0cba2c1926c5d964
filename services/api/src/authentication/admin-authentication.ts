import { fastifyPlugin } from 'fastify-plugin';
import { errors } from '../errors/errors.ts';
import { bearerToken } from './bearer.ts';
import { secretCheck } from './secret-check.ts';

/** Every route of the scope it is registered in needs `Authorization: Bearer $ADMIN_KEY` (design 6). */
export const adminAuthentication = fastifyPlugin(
  async (app, { adminKey }: { adminKey: string }) => {
    const isAdminKey = secretCheck(adminKey);
    app.addHook('onRequest', async (request) => {
      const given = bearerToken(request.headers.authorization);
      if (given === undefined) throw errors.tokenMissing();
      if (!isAdminKey(given)) throw errors.adminKeyInvalid();
    });
  },
  { name: 'admin-authentication' },
);
