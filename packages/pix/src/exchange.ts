import { type Span, SpanKind, traced } from '@payments/tracing/tracing';
import { PixRefused, PixUnavailable } from './errors.ts';
import { isOneOf, isWrongAddress } from './json.ts';
import { type Problem, readProblem } from './problem.ts';
import type { AnswerPattern } from './profiles/profile.ts';
import type { HttpAnswer } from './transport.ts';
import type { PixCall } from './types.ts';

export type Exchange = {
  /** Operation's name, for errors and reports. */
  name: string;
  /** Responses with an error's status which mean that there is nothing. */
  accepts: readonly AnswerPattern[];
  /** Refusals of our credentials or permissions. */
  denied: readonly AnswerPattern[];
  /** Texts that an error must not contain. */
  secrets: string[];
  send: () => Promise<HttpAnswer>;
  onCall: (call: PixCall) => void;
};

/** Sends one request and reports it. Its status decides the result: a response, PixUnavailable or PixRefused. */
export function exchange(one: Exchange): Promise<HttpAnswer> {
  return traced(`PSP ${one.name}`, { kind: SpanKind.CLIENT }, (span) => exchangeIn(one, span));
}

async function exchangeIn(one: Exchange, span: Span): Promise<HttpAnswer> {
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
  span.setAttribute('http.response.status_code', answer.status);
  const outcome = outcomeOf(answer, one.accepts);
  report(outcome, answer.status);
  if (outcome === 'ok') return answer;
  const problem = readProblem(answer.body, one.secrets);
  if (outcome === 'refused') throw new PixRefused(one.name, answer.status, problem, isDenied(one, answer));
  const reason = isWrongAddress(answer) ? 'wrong-address' : 'status';
  throw new PixUnavailable(one.name, reason, inWords(answer.status, problem), answer.status);
}

function isDenied({ name, denied }: Exchange, answer: HttpAnswer): boolean {
  return name === 'token' || isOneOf(denied, answer);
}

function outcomeOf(answer: HttpAnswer, accepts: readonly AnswerPattern[]): 'ok' | 'refused' | 'unavailable' {
  const { status } = answer;
  if (status >= 200 && status < 300) return 'ok';
  // A bank's known words count even if the response looks like a gateway's.
  if (
    isOneOf(
      accepts.filter((pattern) => pattern.includes(':')),
      answer,
    )
  )
    return 'ok';
  if (isWrongAddress(answer)) return 'unavailable';
  if (isOneOf(accepts, answer)) return 'ok';
  return status >= 400 && status < 500 && status !== 408 && status !== 429 ? 'refused' : 'unavailable';
}

function inWords(status: number, { type, detail }: Problem): string {
  return [status, type, detail].filter(Boolean).join(' ');
}
