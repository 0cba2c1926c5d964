/** A response that is not a success. */
export class UnexpectedAnswer extends Error {
  override name = 'UnexpectedAnswer';
  readonly status: number;
  constructor(request: string, status: number, body: string) {
    super(`${request} answered ${status}: ${body.slice(0, 300)}`);
    this.status = status;
  }
}

/**
 * Calls a JSON interface: by default, POST with a body, GET without.
 * @throws UnexpectedAnswer for anything but 2xx
 */
export async function callJson<Answer>(
  url: string,
  key: string | undefined,
  body?: object,
  method = body === undefined ? 'GET' : 'POST',
): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: {
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(20_000),
  });
  const text = await response.text();
  if (!response.ok) throw new UnexpectedAnswer(`${method} ${new URL(url).pathname}`, response.status, text);
  return JSON.parse(text) as Answer;
}
