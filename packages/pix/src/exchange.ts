import { type Span, traced } from '@payments/tracing/tracing';
import { PixRefused, PixUnavailable } from './errors.ts';
import { type Problem, readProblem } from './problem.ts';
import type { HttpAnswer } from './transport.ts';
import type { PixCall } from './types.ts';

export type Exchange = {
  /** Operation's name, for errors and reports. */
  name: string;
  /** 404 is an answer, not a refusal. */
  mayBeMissing: boolean;
  /** What must not be repeated in an error. */
  secrets: string[];
  send: () => Promise<HttpAnswer>;
  onCall: (call: PixCall) => void;
};

/** One exchange with the PSP: sends, reports it, and turns its status into an answer, PixUnavailable or PixRefused. */
export function exchange(one: Exchange): Promise<HttpAnswer> {
  return traced(`PSP ${one.name}`, { kind: 'client', onlyWithin: true }, (span) => exchangeIn(one, span));
}

async function exchangeIn(one: Exchange, span: Span | undefined): Promise<HttpAnswer> {
  const started = performance.now();
  const report = (outcome: PixCall['outcome'], status?: number) =>
    one.onCall({
      operation: one.name,
      outcome,
      durationMs: performance.now() - started,
      ...(status !== undefined && { status }),
    });
  const answer = await one.send().catch((error: unknown) => {
    report('unavailable');
    throw error;
  });
  span?.set({ 'http.response.status_code': answer.status });
  const outcome = outcomeOf(answer, one.mayBeMissing);
  report(outcome, answer.status);
  if (outcome === 'ok') return answer;
  const problem = readProblem(answer.body, one.secrets);
  if (outcome === 'refused') throw new PixRefused(one.name, answer.status, problem.type, problem.detail);
  throw new PixUnavailable(one.name, 'status', inWords(answer.status, problem), answer.status);
}

function outcomeOf({ status, body }: HttpAnswer, mayBeMissing: boolean): 'ok' | 'refused' | 'unavailable' {
  if (status >= 200 && status < 300) return 'ok';
  // A gateway's page says that it found no bank, not that the bank found no charge.
  if (status === 404 && mayBeMissing) return typeof body === 'string' ? 'unavailable' : 'ok';
  return status >= 400 && status < 500 && status !== 408 && status !== 429 ? 'refused' : 'unavailable';
}

function inWords(status: number, { type, detail }: Problem): string {
  return [status, type, detail].filter(Boolean).join(' ');
}
