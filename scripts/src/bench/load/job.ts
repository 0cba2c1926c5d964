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
  seconds: number;
  /** Requests a second, whatever the answers take; without it each connection sends its next request at an answer. */
  rate?: number;
};

export type LoadResult = {
  /** Answered with 200. */
  operations: number;
  /** Anything else, by status or error. */
  failures: Record<string, number>;
  /** From the first request to the last answer. */
  seconds: number;
  /** Of those answered with 200, in milliseconds; with a rate, from when each was to be sent. */
  latencyMs: { p50: number; p90: number; p99: number; max: number };
  /** Of the generator itself. */
  cpuSeconds: number;
};
