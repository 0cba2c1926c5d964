import { once } from 'node:events';
import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import { BenchError } from '../options.ts';

/** Opens the streams of payers' pages and reads them. @returns a function that closes them */
export async function openPages(url: string, ids: readonly string[]): Promise<() => Promise<void>> {
  const open = await Promise.all(ids.map((id) => follow(`${url}/pay/${id}/events`)));
  return async () => {
    await Promise.all(
      open.map(async (request) => {
        const closed = once(request, 'close');
        request.destroy();
        await closed;
      }),
    );
  };
}

async function follow(url: string): Promise<ClientRequest> {
  const request = get(url, { agent: false });
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  if (answer.statusCode !== 200) throw new BenchError(`GET ${url}: answer ${answer.statusCode}`);
  // Closing it is no error.
  answer.on('error', () => {}).resume();
  return request;
}
