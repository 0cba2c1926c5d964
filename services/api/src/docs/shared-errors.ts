import { STATUS_CODES } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import type { Answer, Operation } from './document.ts';

/**
 * Moves errors that are the same in all operations to components, and makes the operations refer to them.
 * @returns the components, named after their HTTP status
 */
export function shareErrors(operations: Operation[]): Record<string, Answer> {
  const shared: Record<string, Answer> = {};
  for (const status of Object.keys(STATUS_CODES).filter((code) => code >= '400')) {
    const telling = operations.filter(({ responses }) => responses?.[status]);
    const [first, ...others] = telling.map(({ responses }) => responses?.[status] as Answer);
    if (!first || others.length === 0 || !others.every((other) => isDeepStrictEqual(first, other))) continue;
    const name = (STATUS_CODES[status] ?? status).replaceAll(/\W/g, '');
    shared[name] = first;
    for (const { responses } of telling) {
      if (responses) responses[status] = { $ref: `#/components/responses/${name}` };
    }
  }
  return shared;
}
