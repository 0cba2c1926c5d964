import { call, type HttpAnswer, type HttpCall } from './http.ts';
import { adminKey } from './service-settings.ts';

export type TestStore = { id: string; token: string };

export type SystemUrls = { url: string; adminUrl: string; bankUrl: string };

/** Calls each side of a running system. */
export type SystemClient = {
  api(path: string, request?: HttpCall): Promise<HttpAnswer>;
  admin(path: string, request?: HttpCall): Promise<HttpAnswer>;
  bank(path: string, body?: unknown): Promise<HttpAnswer>;
  /** Creates a store with a token. */
  createStore(fields?: Record<string, unknown>): Promise<TestStore>;
};

export function systemClient({ url, adminUrl, bankUrl }: SystemUrls, key = adminKey): SystemClient {
  const admin = (path: string, request: HttpCall = {}) => call(adminUrl + path, { token: key, ...request });
  return {
    api: (path, request) => call(url + path, request),
    admin,
    bank: (path, body) => call(bankUrl + path, body === undefined ? {} : { body }),
    createStore: async (fields = {}) => {
      const { body: store } = await admin('/admin/stores', { body: { name: 'Loja', ...fields } });
      const { body: token } = await admin(`/admin/stores/${store.id}/tokens`, { body: {} });
      return { id: store.id, token: token.token };
    },
  };
}
