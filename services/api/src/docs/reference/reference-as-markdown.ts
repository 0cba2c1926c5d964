import { STATUS_CODES } from 'node:http';
import {
  examplesOf,
  type Located,
  type MediaType,
  type Parameter,
  type Response,
  resolve,
  type Schema,
  type View,
} from '../document.ts';
import { isShared, messageOf, sharedAnswers } from './answers.ts';
import { groupsOf } from './reference.ts';
import { constraints, objectIn, typeName } from './schema.ts';
import { bodyExample } from './try-it.ts';

/**
 * @param links a line of links, below the description
 * @returns the reference as Markdown: every operation and webhook with its fields, answers and errors by their
 * `Error-Code`, then each object, header and shared error once
 */
export function referenceAsMarkdown(view: View, links: string): string {
  const { document, words } = view;
  const { title, description = '', version } = document.info;
  const server = document.servers?.[0]?.url;
  const groups = groupsOf(view).flatMap(({ title: name, description: about = '', operations }) => [
    `## ${name}`,
    about,
    ...operations.flatMap((one) => operation(view, one)),
  ]);
  return joined([
    `# ${title}`,
    description,
    `${words.version} ${version}. ${server && server !== '/' ? `${words.baseUrl}: \`${server}\`.` : ''}`.trim(),
    links,
    ...groups,
    ...sharedErrors(view),
    ...headers(view),
    ...objects(view),
  ]);
}

/** @returns one operation as Markdown: what it takes, answers and refuses */
export function operation(view: View, located: Located): string[] {
  const { document, words } = view;
  const { method, path, operation: one, isWebhook } = located;
  const parameters = (one.parameters ?? []).map((parameter) => resolve(document, parameter));
  const token = (one.security ?? []).length > 0 ? ` · \`Authorization: Bearer $TOKEN\`` : '';
  return [
    `### ${one.summary ?? one.operationId}`,
    isWebhook ? `webhook \`${path}\`` : `\`${method.toUpperCase()} ${path}\`${token}`,
    one.description ?? '',
    ...parameterLists(view, parameters),
    ...requestBody(view, located),
    `#### ${isWebhook ? words.yourResponse : words.responses}`,
    responses(view, located),
  ];
}

function parameterLists(view: View, parameters: Parameter[]): string[] {
  const { words } = view;
  const places: Record<Parameter['in'], string> = {
    path: words.pathParameters,
    query: words.queryParameters,
    header: words.headers,
  };
  return Object.entries(places).flatMap(([place, heading]) => {
    const found = parameters.filter((parameter) => parameter.in === place);
    const items = found.map(({ name, schema = {}, description, required = false }) =>
      field(view, name, description ? { ...schema, description } : schema, required),
    );
    return items.length > 0 ? [`#### ${heading}`, items.join('\n')] : [];
  });
}

function requestBody(view: View, located: Located): string[] {
  const { requestBody: given } = located.operation;
  if (!given) return [];
  const { content, description = '' } = resolve(view.document, given);
  const { schema } = Object.values(content)[0] ?? {};
  const example = bodyExample(view.document, located);
  return [
    `#### ${view.words.body}`,
    description,
    schema ? body(view, schema) : '',
    example === undefined ? '' : json(example),
  ];
}

/** @returns the object's name, or the fields of one without a name */
function body(view: View, schema: Schema): string {
  const type = `\`${typeName(view, schema)}\``;
  return schema.$ref ? type : `${type}\n\n${fields(view, schema)}`.trim();
}

function responses(view: View, { operation: { responses: all } }: Located): string {
  const own = Object.entries(all).filter(([, response]) => !isShared(response));
  const shared = Object.entries(all).filter(([, response]) => isShared(response));
  const also = shared.map(([status]) => status).join(', ');
  return [
    ...own.map(([status, response]) => answer(view, status, resolve(view.document, response))),
    ...(also ? [`- ${view.words.alsoErrors}: ${also} (${view.words.sharedErrors})`] : []),
  ].join('\n');
}

function answer(view: View, status: string, response: Response): string {
  const told = response.description === 'Default Response' ? undefined : response.description;
  const [type = '', media] = Object.entries(response.content ?? {})[0] ?? [];
  const names = Object.keys(response.headers ?? {}).map((name) => `\`${name}\``);
  const lines = [
    `- **${status}** ${told || (STATUS_CODES[status] ?? '')}`,
    ...(names.length > 0 ? [`  - ${view.words.headers}: ${names.join(', ')}`] : []),
    ...(media ? answered(view, Number(status) >= 400, type, media) : []),
  ];
  return lines.join('\n');
}

function answered(view: View, isError: boolean, type: string, media: MediaType): string[] {
  if (!type.includes('json')) return [`  - ${view.words.body}: ${type}`];
  const examples = examplesOf(view.document, media);
  if (isError)
    return examples.map(({ 'x-error-code': code, value, summary, description }) => {
      const named = code === undefined ? '' : ` (\`${code}\`)`;
      return `  - \`${messageOf(value)}\`${named}: ${summary ?? description ?? ''}`;
    });
  const shown = media.schema ? [`  - ${view.words.body}: ${indented(body(view, media.schema))}`] : [];
  return [...shown, ...examples.slice(0, 1).map(({ value }) => `\n${indented(json(value), '  ')}\n`)];
}

function sharedErrors(view: View): string[] {
  const answers = sharedAnswers(view.document).map(([status, response]) => answer(view, status, response));
  const { sharedErrors: title, aboutSharedErrors } = view.words;
  return answers.length > 0 ? [`## ${title}`, aboutSharedErrors, answers.join('\n')] : [];
}

function headers(view: View): string[] {
  const all = Object.entries(view.document.components?.headers ?? {}) as [
    string,
    Schema & { schema?: Schema },
  ][];
  const items = all.map(([name, { description, schema = {} }]) =>
    field(view, name, { ...schema, ...(description !== undefined && { description }) }, false),
  );
  return items.length > 0 ? [`## ${view.words.headers}`, items.join('\n')] : [];
}

/** @returns each named object or text with its fields */
function objects(view: View): string[] {
  const all = Object.entries(view.document.components?.schemas ?? {});
  const shown = all.flatMap(([name, schema]) => {
    const rules = constraints(schema, view.words).join('; ');
    const type = objectIn(view.document, schema) ? '' : `${typeName(view, schema)}${rules && `; ${rules}`}`;
    return [`### \`${name}\``, type, schema.description ?? '', fields(view, schema)];
  });
  return shown.length > 0 ? [`## ${view.words.objects}`, ...shown] : [];
}

function fields(view: View, schema: Schema): string {
  const { properties = {}, required = [] } = objectIn(view.document, schema) ?? {};
  return Object.entries(properties)
    .map(([name, property]) => field(view, name, property, required.includes(name)))
    .join('\n');
}

/** @returns one field or parameter as an item of a list; the fields of an object without a name stand below it */
function field(view: View, name: string, schema: Schema, isRequired: boolean): string {
  const { words, document } = view;
  // A named object or text is described once.
  const whole = schema.$ref ? schema : resolve(document, schema);
  const rules = constraints(whole, words);
  const facts = [typeName(view, schema), ...(isRequired ? [words.required] : []), ...rules];
  const inside = isNamed(whole) ? '' : fields(view, whole);
  const meaning = indented(schema.description ?? whole.description ?? '');
  const line = `- \`${name}\` (${facts.join('; ')})${meaning && `: ${meaning}`}`;
  return inside ? `${line}\n${indented(inside, '  ')}` : line;
}

/** @returns whether what a field is, or a list's items are, has a name */
function isNamed({ $ref, items, anyOf = [], oneOf = [] }: Schema): boolean {
  return [{ $ref }, items, ...anyOf, ...oneOf].some((one) => one?.$ref !== undefined);
}

/** @returns a text whose lines below the first, or all, stand within an item of a list */
function indented(text: string, first = ''): string {
  return first + text.replaceAll(/\n(?=.)/g, '\n  ');
}

const json = (value: unknown) => `\`\`\`json\n${JSON.stringify(value, undefined, 2)}\n\`\`\``;

/** @returns blocks with a blank line between them */
const joined = (blocks: string[]) => `${blocks.filter((block) => block.trim() !== '').join('\n\n')}\n`;
