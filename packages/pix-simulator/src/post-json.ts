import type { Dispatcher } from 'undici';

/** POSTs JSON. `delivered` for any 2xx; else the status or the error's code. Never throws. */
export async function postJson(dispatcher: Dispatcher, address: string, body: unknown): Promise<string> {
  try {
    const { origin, pathname, search } = new URL(address);
    const answer = await dispatcher.request({
      origin,
      path: pathname + search,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    await answer.body.dump();
    return answer.statusCode >= 200 && answer.statusCode < 300 ? 'delivered' : `status ${answer.statusCode}`;
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : 'failed';
  }
}
