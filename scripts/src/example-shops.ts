import { join } from 'node:path';
import { callJson } from '@payments/testing/json-client';
import { root } from './repository.ts';

const at = (file: string) => join(root, 'scripts/examples', file);

/** The programs of the example shops, by name. Each listens on 127.0.0.1 at `PORT`. */
export const exampleShops: Record<string, (port: number) => [program: string, ...args: string[]]> = {
  express: () => [process.execPath, '--conditions=public-payments', at('express-shop.js')],
  fastify: () => [process.execPath, '--conditions=public-payments', at('fastify-shop.ts')],
  flask: () => ['python3', at('flask-shop.py')],
  php: (port) => ['php', '-S', `127.0.0.1:${port}`, at('php-shop.php')],
};

/** @returns the environment of an example shop */
export function shopEnvironment(given: {
  apiUrl: string;
  token: string;
  secret: string;
  port: number;
  /** Where the shop keeps its orders. */
  file: string;
}) {
  return {
    PAYMENTS_URL: given.apiUrl,
    PAYMENTS_TOKEN: given.token,
    WEBHOOK_SECRET: given.secret,
    PORT: String(given.port),
    SHOP_FILE: given.file,
    SHOP_URL: `http://127.0.0.1:${given.port}`,
  };
}

/** Lets a store's tokens refund, as its own administrators would in the panel. */
export async function allowRefunds(adminUrl: string, adminKey: string, storeId: string): Promise<void> {
  const store = `${adminUrl}/admin/stores/${storeId}`;
  const { tokenMay } = await callJson<{ tokenMay: string[] }>(store, adminKey);
  if (tokenMay.includes('refund')) return;
  await callJson(store, adminKey, { tokenMay: [...tokenMay, 'refund'] }, 'PATCH');
}
