import { type TSchema, Type } from '@sinclair/typebox';
import type { Condition, Conditions } from './errors/api-error.ts';
import { type ErrorName, list } from './errors/errors.ts';

/** An OpenAPI example of a body; an error's also tells its `Error-Code`. */
export type Example = { summary: string; value: unknown; 'x-error-code'?: string };
export type Examples = Record<string, Example>;

type Content = { schema: TSchema; examples?: Examples };
type DocumentedAnswer = { description: string; content: Record<string, Content> };

/** @returns a successful JSON response for a route schema's `response` */
export function answerOf(description: string, schema: TSchema, examples?: Examples): DocumentedAnswer {
  return { description, content: { 'application/json': { schema, ...(examples && { examples }) } } };
}

/**
 * Declares a route's errors. Each condition is a named example with its exact message.
 * `completeDocument` adds the errors that any request can get.
 * @param errors names of conditions, or conditions by name
 * @returns the error part of the route schema's `response`
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

/** @returns the status of a condition and its message as a named example */
export function exampleOf(name: string, condition: Condition): { status: number; examples: Examples } {
  const { status, message, when, code = name in list ? name : undefined } = condition;
  const example = { summary: when, value: { statusCode: status, message } };
  return {
    status,
    examples: { [name]: { ...example, ...(code !== undefined && { 'x-error-code': code }) } },
  };
}

/** @returns the documents' description of an error status */
export function descriptionOf(status: number): string {
  return descriptions[status] ?? 'Error.';
}

const descriptions: Record<number, string> = {
  400: 'The request is not valid. `message` says what is wrong.',
  401: 'The request has no valid token.',
  403: 'You may not do this. `message` says why.',
  404: 'The resource does not exist, or belongs to another store.',
  408: 'The request took too long to arrive.',
  409: 'The current state does not allow this. Nothing changed.',
  413: 'The body is too large.',
  415: 'The body is not declared as JSON.',
  417: 'The service can’t fulfil the `Expect` header.',
  422: 'The request contradicts an earlier one. Nothing changed.',
  429: 'Too many requests. Wait for `Retry-After`.',
  431: 'The URL and headers are too large.',
  500: 'The service failed. Send the request again.',
  503: 'The service is unavailable now. Wait for `Retry-After`.',
};
