import { descriptionOf, exampleOf } from '../http/answers.ts';
import { type ErrorName, list } from '../http/errors/errors.ts';
import type { Answer, Operation } from './document.ts';

// Errors that any request can get, and errors that any request with a body can get.
const ofAnyRequest: ErrorName[] = [
  'malformedRequest',
  'requestTimeout',
  'expectationFailed',
  'headersTooLarge',
  'internal',
];
const ofAnyBody: ErrorName[] = ['invalidJson', 'bodyTooLarge', 'unsupportedMediaType'];

/** Adds the server's own errors, which no route declares, to an operation. */
export function addServerErrors(method: string, operation: Operation): void {
  const names = method === 'get' ? ofAnyRequest : [...ofAnyBody, ...ofAnyRequest];
  for (const name of names) addError(operation, name);
}

function addError(operation: Operation, name: ErrorName): void {
  const { status, examples } = exampleOf(name, list[name]);
  const responses = operation.responses ?? {};
  const answer = (responses[status] ?? { description: descriptionOf(status) }) as Answer;
  const schema = { $ref: '#/components/schemas/Error' };
  const told = answer.content?.['application/json']?.examples;
  answer.content = { 'application/json': { schema, examples: { ...told, ...examples } } };
  operation.responses = { ...responses, [status]: answer };
}
