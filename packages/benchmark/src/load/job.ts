/** The requests of the load generator. */
export type LoadJob = {
  origin: string;
  method: 'GET' | 'POST';
  /** Used in turn. */
  paths: string[];
  headers: Record<string, string>;
  /** Used in turn, in the place of the headers' one. */
  tokens?: readonly string[];
  /** Used in turn; empty for GET. */
  bodies: string[];
  connections: number;
  /** When the job ends. */
  until: { seconds: number } | { requests: number };
  /** Requests a second at a constant rate. Without it, each connection sends its next request after a response. */
  rate?: number;
};

export type LoadResult = {
  /** Requests with a 200. */
  operations: number;
  /** All other requests, by status or error. */
  failures: Record<string, number>;
  /** From the first request to the last response. */
  seconds: number;
  /** The median time of requests with a 200, in milliseconds. */
  medianMs: number;
  /** The time that one request in a hundred exceeds. */
  p99Ms: number;
};

type Store = { url: string; token: string };

const order = { amount: 19.9, email: 'cliente@example.com', observation: 'Pedido 12345' };

/** @returns a store's creations, with these webhook URLs in turn */
export function creations({ url, token }: Store, webhookUrls: readonly string[] = []) {
  const orders = webhookUrls.map((webhookUrl) => ({ ...order, webhookUrl }));
  return {
    origin: url,
    method: 'POST' as const,
    paths: ['/api-public/payments'],
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    bodies: (orders.length > 0 ? orders : [order]).map((one) => JSON.stringify(one)),
  } satisfies Partial<LoadJob>;
}

/** @returns reads of the feeds of these stores, in turn, each behind what it has read */
export function feeds(url: string, stores: readonly { token: string; next: string }[]) {
  return {
    origin: url,
    method: 'GET' as const,
    paths: stores.map(({ next }) => `/api-public/events?after=${next}`),
    tokens: stores.map(({ token }) => token),
    headers: {},
    bodies: [],
  } satisfies Partial<LoadJob>;
}

/** @returns reads of these paths below `/api-public/payments`, in turn */
export function reads({ url, token }: Store, paths: readonly string[]) {
  return {
    origin: url,
    method: 'GET' as const,
    paths: paths.map((path) => `/api-public/payments${path}`),
    headers: { authorization: `Bearer ${token}` },
    bodies: [],
  } satisfies Partial<LoadJob>;
}
