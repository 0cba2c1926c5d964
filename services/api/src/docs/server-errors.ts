import { type ErrorName, list } from '../errors/errors.ts';
import { descriptionOf, exampleOf } from './answers.ts';
import type { Answer, Operation } from './document.ts';

// What the server may say to any request, whatever the route, and to any that may have a body.
const ofAnyRequest: ErrorName[] = [
  'malformedRequest',
  'requestTimeout',
  'expectationFailed',
  'headersTooLarge',
  'internal',
];
const ofAnyBody: ErrorName[] = ['invalidJson', 'bodyTooLarge', 'unsupportedMediaType'];

/** Adds to an operation the errors that no route declares, since they are the server's. */
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
