import { type Located, type OpenApiDocument, operationsOf, resolve } from './reference/document.ts';
import { bodyExample } from './reference/try-it.ts';

/**
 * Writes the requests for editors that send them: REST Client of VS Code, JetBrains, Visual Studio.
 * @param base the service's address
 */
export function httpFile(document: OpenApiDocument, base: string): string {
  const requests = operationsOf(document).filter(({ isWebhook }) => !isWebhook);
  const names = requests.flatMap((located) => pathParameters(document, located));
  const variables = { baseUrl: base, token: 'YOUR_TOKEN', ...Object.fromEntries(names) };
  const lines = Object.entries(variables).map(([name, value]) => `@${name} = ${value}`);
  return [`${lines.join('\n')}\n`, ...requests.map((located) => request(document, located))].join('\n');
}

function request(document: OpenApiDocument, located: Located): string {
  const { method, path, operation } = located;
  const body = bodyExample(document, located);
  const lines = [
    `### ${operation.summary ?? operation.operationId}`,
    `${method.toUpperCase()} {{baseUrl}}${path.replace(/\{(\w+)\}/g, '{{$1}}')}`,
    ...((operation.security ?? []).length > 0 ? ['Authorization: Bearer {{token}}'] : []),
    ...(body === undefined ? [] : ['Content-Type: application/json', '', JSON.stringify(body, undefined, 2)]),
  ];
  return `${lines.join('\n')}\n`;
}

function pathParameters(document: OpenApiDocument, { operation }: Located): [name: string, value: string][] {
  return (operation.parameters ?? [])
    .map((parameter) => resolve(document, parameter))
    .filter((parameter) => parameter.in === 'path')
    .map(({ name }) => [name, `YOUR_${name.toUpperCase()}`]);
}
