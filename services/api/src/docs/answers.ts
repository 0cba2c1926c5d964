import { type TSchema, Type } from '@sinclair/typebox';
import type { Condition, Conditions } from '../errors/condition.ts';
import { type ErrorName, list } from '../errors/errors.ts';

/** A named example of a body, as OpenAPI has them. */
export type Example = { summary: string; value: unknown };
export type Examples = Record<string, Example>;

type Content = { schema: TSchema; examples?: Examples };
type DocumentedAnswer = { description: string; content: Record<string, Content> };

/** @returns a success of a route with a JSON body, for its schema's `response` */
export function answerOf(description: string, schema: TSchema, examples?: Examples): DocumentedAnswer {
  return { description, content: { 'application/json': { schema, ...(examples && { examples }) } } };
}

/**
 * Declares the errors of a route, each condition with its exact message as a named example. What the server may say to
 * any request is added by `server-errors.ts`.
 * @param errors names of conditions, or conditions by name
 * @returns a part of its schema's `response`
 */
export function errorAnswersOf(
  ...errors: readonly (ErrorName | Conditions)[]
): Record<number, DocumentedAnswer> {
  const answers: Record<number, DocumentedAnswer> = {};
  const named = errors.map((one) => (typeof one === 'string' ? { [one]: list[one] } : one));
  for (const [name, condition] of Object.entries<Condition>(Object.assign({}, ...named))) {
    const { status, examples } = exampleOf(name, condition);
    answers[status] ??= answerOf(descriptionOf(status), Type.Ref('Error'), {});
    Object.assign(answers[status].content['application/json']?.examples ?? {}, examples);
  }
  return answers;
}

/** @returns the status of a condition, and its message as a named example */
export function exampleOf(name: string, condition: Condition): { status: number; examples: Examples } {
  const { status, message, when } = condition;
  return { status, examples: { [name]: { summary: when, value: { statusCode: status, message } } } };
}

/** @returns what the documents say of an error status */
export function descriptionOf(status: number): string {
  return descriptions[status] ?? 'Error.';
}

const descriptions: Record<number, string> = {
  400: 'The request is not valid; `message` says what is wrong with it.',
  401: 'There is no valid token.',
  403: 'The store is deactivated.',
  404: 'What was asked for does not exist, or belongs to another store.',
  408: 'The request took too long to arrive.',
  409: 'The present state does not allow it; nothing was changed.',
  413: 'The body is too large.',
  415: 'The body is not declared as JSON.',
  417: 'The `Expect` header can’t be met.',
  422: 'The request contradicts an earlier one; nothing was changed.',
  429: 'Too many requests; wait as `Retry-After` says.',
  431: 'The URL and headers are too large.',
  500: 'The service failed; nothing is said of its internals. What was sent can be sent again.',
  503: 'The service can’t answer now; wait as `Retry-After` says.',
};
