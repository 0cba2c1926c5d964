import { STATUS_CODES } from 'node:http';
import { extname } from 'node:path/posix';
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
import {
  clientProgram,
  errorsOf,
  filled,
  filledText,
  firstPayments,
  followers,
  type Place,
  readSample,
  receivers,
  type Sample,
  serviceOf,
  translateComments,
  translatedPicture,
  verifiers,
} from '../guide.ts';
import type { Language, TextName } from '../languages.ts';
import { bodyExample, groupsOf } from './reference.ts';
import { constraints, isShared, messageOf, objectIn, sharedAnswers, typeName } from './schema.ts';

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
  const all = Object.keys(view.document.components?.schemas ?? {});
  return all.length > 0 ? [`## ${view.words.objects}`, ...described(view, all)] : [];
}

/** @returns each named object or text that an operation refers to, and those that these refer to */
export function objectsOf(view: View, { operation: one }: Located): string[] {
  const { schemas = {}, responses = {} } = view.document.components ?? {};
  const found = new Set<string>();
  const collect = (node: unknown): void => {
    for (const [, kind = '', name = ''] of JSON.stringify(node).matchAll(/#\/components\/(\w+)\/(\w+)"/g)) {
      if (kind === 'responses') collect(responses[name]);
      if (kind !== 'schemas' || found.has(name)) continue;
      found.add(name);
      collect(schemas[name]);
    }
  };
  collect(one);
  return described(view, [...found]);
}

function described(view: View, names: string[]): string[] {
  return names.flatMap((name) => {
    const schema = view.document.components?.schemas?.[name] ?? {};
    const rules = constraints(schema, view.words).join('; ');
    const type = objectIn(view.document, schema) ? '' : `${typeName(view, schema)}${rules && `; ${rules}`}`;
    return [`### \`${name}\``, type, schema.description ?? '', fields(view, schema)];
  });
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

/**
 * @returns a page as Markdown, for programs and their authors' assistants: complete by itself, with whole addresses.
 * It has no token, also where the page shows the demonstration store's: so anybody may keep a copy.
 */
export function textAsMarkdown(name: TextName, view: View, language: Language, place: Place): string {
  const { translations } = language;
  const docs = docsAddress(view, language);
  const programs = (list: Sample[]) =>
    list
      .map(({ file, title }) => {
        const source = translateComments(filled(readSample(file), view, place), translations);
        return `**${title}**\n\n${fence(source, file)}`;
      })
      .join('\n\n');
  const parts: Record<string, () => string> = {
    states: () => /<desc[^<>]*>([^<]+)/.exec(translatedPicture(translations))?.[1] ?? '',
    errors: () => errorTable(view),
    client: () =>
      ['client/charge.ts', 'client/receive.ts', 'client/follow.ts']
        .map((file) => fence(clientProgram(file, serviceOf(view)), file))
        .join('\n\n'),
    token: () => fence('export TOKEN=YOUR_TOKEN', 'token.sh'),
    first: () => programs(firstPayments),
    verify: () => programs(verifiers),
    receive: () => programs(receivers),
    follow: () => programs(followers),
  };
  const text = filledText(name, view, language, { ...place, base: '{docs}', token: undefined });
  return text
    .replace(/<!-- (\w+) -->/g, (mark, part: string) => parts[part]?.() ?? mark)
    .replace(/\]\((#[^)\]]+)\)/g, `](${docs}/${name}$1)`)
    .replace(/\{docs\}(?:\/pt)?(\/\w+)?/g, (_place, page = '/reference') => `${docs}${page}.md`);
}

/** @returns the whole address of the pages of a language */
export const docsAddress = (view: View, { path }: Language): string => `${serviceOf(view)}/docs${path}`;

const languages: Record<string, string> = {
  '.sh': 'bash',
  '.mjs': 'js',
  '.ts': 'ts',
  '.py': 'python',
  '.php': 'php',
};

/** @returns a block of code in Markdown */
const fence = (source: string, file: string) => `\`\`\`${languages[extname(file)] ?? ''}\n${source}\n\`\`\``;

function errorTable({ document, words: { errorTable: heads } }: View): string {
  const rows = errorsOf(document).map(
    ({ status, code, message, when }) =>
      `| ${status} | \`${code}\` | \`${message}\` | ${cell([...when].join(' '))} |`,
  );
  return [
    `| ${heads.status} | \`Error-Code\` | ${heads.message} | ${heads.when} |`,
    '|---|---|---|---|',
    ...rows,
  ].join('\n');
}

/** @returns a text that stays within its cell of a table */
const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
