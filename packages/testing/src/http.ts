// biome-ignore lint/suspicious/noExplicitAny: a test looks into JSON of any shape, and says what it expects there
export type Json = any;

/** A response, parsed for a test: `answers.ts` has types of bodies. */
export type HttpAnswer<Body = Json> = { status: number; headers: Headers; text: string; body: Body };

export type HttpCall = { method?: string; headers?: Record<string, string>; body?: unknown; token?: string };

/** Calls a URL over real HTTP; sends `body` as JSON unless it is text or bytes. */
export async function call<Body = Json>(
  url: string,
  { method, headers = {}, body, token }: HttpCall = {},
): Promise<HttpAnswer<Body>> {
  const json = body === undefined ? {} : { 'content-type': 'application/json' };
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const response = await fetch(url, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: { ...json, ...authorization, ...headers },
    ...(body === undefined ? {} : { body: written(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') ?? false;
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson && text ? JSON.parse(text) : text,
  };
}

function written(body: unknown): string | Uint8Array<ArrayBuffer> {
  if (body instanceof Uint8Array) return new Uint8Array(body);
  return typeof body === 'string' ? body : JSON.stringify(body);
}
