/** What the load generator is to send, and how. */
export type LoadJob = {
  origin: string;
  method: 'GET' | 'POST';
  /** Taken in turn. */
  paths: string[];
  headers: Record<string, string>;
  /** Taken in turn; none for GET. */
  bodies: string[];
  connections: number;
  /** When it ends. */
  until: { seconds: number } | { requests: number };
  /** Requests a second, whatever the responses take; without it each connection sends its next request at a response. */
  rate?: number;
};

export type LoadResult = {
  /** Requests that were answered with 200. */
  operations: number;
  /** All others, by status or error. */
  failures: Record<string, number>;
  /** From the first request to the last response. */
  seconds: number;
  /** Of requests that were answered with 200, in milliseconds. */
  medianMs: number;
};

type Store = { url: string; token: string };

const order = { amount: 19.9, email: 'cliente@example.com', observation: 'Pedido 12345' };

/** Creations as a store sends them, with these webhook URLs in turn. */
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

/** Reads of these paths below `/api-public/payments`, in turn. */
export function reads({ url, token }: Store, paths: readonly string[]) {
  return {
    origin: url,
    method: 'GET' as const,
    paths: paths.map((path) => `/api-public/payments${path}`),
    headers: { authorization: `Bearer ${token}` },
    bodies: [],
  } satisfies Partial<LoadJob>;
}
