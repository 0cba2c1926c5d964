import { call, type HttpAnswer, type HttpCall, type Json } from './http.ts';
import { adminKey } from './service-settings.ts';

export type TestStore = { id: string; token: string };

export type SystemUrls = { url: string; adminUrl: string; bankUrl: string };

/** Calls each side of a running system. */
export type SystemClient = {
  api<Body = Json>(path: string, request?: HttpCall): Promise<HttpAnswer<Body>>;
  admin<Body = Json>(path: string, request?: HttpCall): Promise<HttpAnswer<Body>>;
  bank<Body = Json>(path: string, body?: unknown): Promise<HttpAnswer<Body>>;
  /** Creates a store with a token. */
  createStore(fields?: Record<string, unknown>): Promise<TestStore>;
};

export function systemClient({ url, adminUrl, bankUrl }: SystemUrls, key = adminKey): SystemClient {
  const admin: SystemClient['admin'] = (path, request = {}) =>
    call(adminUrl + path, { token: key, ...request });
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
