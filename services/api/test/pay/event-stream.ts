/** An open stream of server-sent events. */
export type EventStream = {
  status: number;
  headers: Headers;
  /** The data of the events so far. */
  events: string[];
  /** Resolves when an event has this data. */
  until(data: string): Promise<void>;
  /** Resolves when the server has ended the stream. */
  ended: Promise<void>;
  close(): void;
};

/** Opens a stream and reads it until it ends. */
export async function openEvents(url: string, headers: Record<string, string> = {}): Promise<EventStream> {
  const aborted = new AbortController();
  const answer = await fetch(url, { headers, signal: aborted.signal });
  const events: string[] = [];
  const waiting = new Map<string, () => void>();
  const read = async () => {
    let text = '';
    for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) {
      const parts = (text + chunk).split('\n\n');
      text = parts.pop() ?? '';
      for (const part of parts) {
        const data = /^data: (.*)$/m.exec(part)?.[1];
        if (data === undefined) continue;
        events.push(data);
        waiting.get(data)?.();
      }
    }
  };
  return {
    status: answer.status,
    headers: answer.headers,
    events,
    until: (data) =>
      events.includes(data) ? Promise.resolve() : new Promise((resolve) => waiting.set(data, resolve)),
    ended: read().catch((error: unknown) => {
      if (!aborted.signal.aborted) throw error;
    }),
    close: () => aborted.abort(),
  };
}
