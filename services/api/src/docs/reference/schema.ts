import { STATUS_CODES } from 'node:http';
import { html, type SafeHtml } from '../../pages/html.ts';
import {
  type Example,
  examplesOf,
  type MediaType,
  type OpenApiDocument,
  type Operation,
  operationsOf,
  type Reference,
  type Response,
  resolve,
  type Schema,
  type View,
} from '../document.ts';
import type { Words } from '../languages.ts';
import { code, inlineMarkdown, markdown } from '../markdown.ts';

/** @returns the fields of an object, or of a list's objects, with type, rules and meaning */
export function fields(view: View, schema: Schema, seen: readonly string[] = []): SafeHtml {
  const object = objectIn(view.document, schema);
  if (!object?.properties) return html``;
  const required = object.required ?? [];
  const items = Object.entries(object.properties).map(([name, property]) =>
    field(view, { name, schema: property, required: required.includes(name), seen }),
  );
  return html`<ul class="fields">${items}</ul>`;
}

/** @returns the names and meanings of an object's fields, or of a list's objects */
export function fieldsIn({ document }: View, schema: Schema): { name: string; description?: string }[] {
  return Object.entries(objectIn(document, schema)?.properties ?? {}).map(([name, property]) => {
    const { description } = resolve(document, property);
    return { name, ...(description !== undefined && { description }) };
  });
}

type Field = { name: string; schema: Schema; required: boolean; seen?: readonly string[] };

/** @returns one field or parameter */
export function field(view: View, { name, schema, required, seen = [] }: Field): SafeHtml {
  const { document, words } = view;
  const whole = resolve(document, schema);
  const notes = constraints(whole, words);
  return html`<li>
    <p class="field"><code class="name">${name}</code> <span class="type">${typeName(view, schema)}</span>${required && html` <span class="required">${words.required}</span>`}</p>
    ${whole.description && html`<div class="meaning">${markdown(whole.description).body}</div>`}
    ${notes.length > 0 && html`<p class="constraints">${inlineMarkdown(notes.join(' · '))}</p>`}
    ${nested(view, schema, seen)}
  </li>`;
}

function nested(view: View, schema: Schema, seen: readonly string[]): SafeHtml {
  const { document, words } = view;
  const name = referenceIn(document, schema) ?? '';
  if (seen.includes(name) || !objectIn(document, schema)?.properties) return html``;
  return html`<details class="nested"><summary>${name ? words.fieldsOf(name) : words.fields}</summary>${fields(view, schema, [...seen, name])}</details>`;
}

/** @returns a schema's type in words: `string or null`, `array of Payment` */
export function typeName(view: View, schema: Schema): string {
  const { words } = view;
  if (schema.$ref) return schema.$ref.split('/').at(-1) ?? '';
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants) {
    if (variants.every((variant) => 'const' in variant)) return 'string';
    return variants.map((variant) => typeName(view, variant)).join(` ${words.or} `);
  }
  if (schema.allOf) return schema.allOf.map((part) => typeName(view, part)).join(` ${words.and} `);
  if ('const' in schema) return JSON.stringify(schema.const);
  const types = [schema.type ?? words.any].flat();
  return types
    .map((type) => {
      if (type === 'array') return words.arrayOf(schema.items ? typeName(view, schema.items) : words.any);
      return type === 'string' && schema.format ? `string, ${schema.format}` : type;
    })
    .join(` ${words.or} `);
}

/** @returns a schema's rules in words, as Markdown */
export function constraints(schema: Schema, words: Words): string[] {
  const found = Object.entries(words.bounds)
    // The largest safe integer is no limit that a reader needs to know.
    .filter(([keyword]) => schema[keyword] !== undefined && schema[keyword] !== Number.MAX_SAFE_INTEGER)
    .map(([keyword, say]) => say(schema[keyword]));
  const open = schema['x-extensible-enum'];
  const values =
    open ?? schema.enum ?? (schema.anyOf ?? []).filter((one) => 'const' in one).map((one) => one.const);
  // A description that lists the values has them already.
  const isListed = values.every((value) => schema.description?.includes(`- \`${value}\``));
  if (values.length > 0 && !isListed)
    found.push(
      `${open ? words.oneOfSoFar : words.oneOf} ${values.map((value) => `\`${value}\``).join(', ')}`,
    );
  if (typeof schema.pattern === 'string') found.push(`${words.matches} \`${schema.pattern}\``);
  if (schema.default !== undefined) found.push(`${words.byDefault} \`${JSON.stringify(schema.default)}\``);
  return found;
}

/** @returns the object schema in a schema, a list or a nullable union, if there is one */
export function objectIn(document: OpenApiDocument, schema: Schema): Schema | undefined {
  const whole = resolve(document, schema);
  if (whole.properties) return whole;
  const inner = [whole.items, ...(whole.anyOf ?? []), ...(whole.oneOf ?? [])].filter(
    (one) => one !== undefined,
  );
  for (const one of inner) {
    const found = objectIn(document, one);
    if (found) return found;
  }
  if (!whole.allOf) return undefined;
  const parts = whole.allOf.map((part) => objectIn(document, part) ?? {});
  return {
    properties: Object.assign({}, ...parts.map((part) => part.properties)),
    required: parts.flatMap((part) => part.required ?? []),
  };
}

function referenceIn(document: OpenApiDocument, schema: Schema): string | undefined {
  if (schema.$ref) {
    const target = resolve(document, schema);
    return target.properties || target.allOf ? schema.$ref.split('/').at(-1) : referenceIn(document, target);
  }
  const inner = [schema.items, ...(schema.anyOf ?? [])].filter((one) => one !== undefined);
  for (const one of inner) {
    const found = referenceIn(document, one);
    if (found) return found;
  }
  return undefined;
}

/** @returns an operation's responses by status; errors with each message and its condition */
export function responses(view: View, operation: Operation, isWebhook: boolean): SafeHtml {
  const all = Object.entries(operation.responses);
  const answers = all
    .filter(([, response]) => !isShared(response))
    .map(([status, response]) => answer(view, status, resolve(view.document, response)));
  const heading = isWebhook ? view.words.yourResponse : view.words.responses;
  return html`<h4>${heading}</h4><div class="answers">${answers}${sharedErrorLinks(view, all)}</div>`;
}

/** @returns a response: its status and description, and its headers and body to unfold */
function answer(view: View, status: string, response: Response): SafeHtml {
  const phrase = STATUS_CODES[status] ?? '';
  const told =
    response.description && response.description !== 'Default Response' ? response.description : phrase;
  const [type, media] = Object.entries(response.content ?? {})[0] ?? [];
  const inside = html`${headers(view, response)}${media && body(view, Number(status) >= 400, type ?? '', media)}`;
  const line = html`<span class="status s${status[0]}">${status}</span> ${inlineMarkdown(told)}`;
  if (String(inside).trim() === '') return html`<p class="answer">${line}</p>`;
  return html`<details class="answer"><summary>${line}</summary>${inside}</details>`;
}

/** The list of all errors is long: a response shows only its own. */
function headers(view: View, { headers = {}, content = {} }: Response): SafeHtml {
  const told = Object.values(content).flatMap((media) => examplesOf(view.document, media));
  const ofThis = (code: unknown) => told.some(({ 'x-error-code': one }) => one === code);
  const items = Object.entries(headers).map(([name, header]) => {
    const { schema = {}, description = '' } = resolve(view.document, header);
    const open = schema['x-extensible-enum']?.filter(ofThis);
    const shown = { ...schema, ...(open && { 'x-extensible-enum': open }), description };
    return field(view, { name, required: false, schema: shown });
  });
  return items.length > 0
    ? html`<p class="part">${view.words.headers}</p><ul class="fields">${items}</ul>`
    : html``;
}

function body(view: View, isError: boolean, type: string, media: MediaType): SafeHtml {
  if (!type.includes('json')) return html`<p class="type">${type}</p>`;
  const examples = examplesOf(view.document, media);
  if (isError) return messages(examples);
  const shown = examples.map(
    ({ summary, value }) =>
      html`${summary && html`<p class="part">${summary}</p>`}${code(JSON.stringify(value, undefined, 2), 'json')}`,
  );
  return html`${media.schema && fields(view, media.schema)}${shown}`;
}

function messages(examples: Example[]): SafeHtml {
  const rows = examples.map(({ value, summary, description }) => {
    const when = summary ?? description;
    return html`<li><code>${messageOf(value)}</code>${when && html`<span>${inlineMarkdown(when)}</span>`}</li>`;
  });
  return rows.length > 0 ? html`<ul class="messages">${rows}</ul>` : html``;
}

/** @returns the message of an error body (Contract: error body) */
export function messageOf(value: unknown): string {
  return String((value as { message?: unknown } | null)?.message ?? JSON.stringify(value));
}

/** @returns the shared errors, by their status */
export function sharedAnswers(document: OpenApiDocument): [status: string, Response][] {
  const found = new Map<string, Response>();
  for (const { operation } of operationsOf(document)) {
    for (const [status, response] of Object.entries(operation.responses)) {
      if (isShared(response)) found.set(status, resolve<Response>(document, response));
    }
  }
  return [...found].sort(([one], [other]) => one.localeCompare(other));
}

/** The errors that are components: they are the same in every operation that has them, and shown once. */
export const sharedErrorsId = 'shared-errors';

/** @returns whether a response is one of those that are the same in every operation */
export function isShared(response: Response | Reference): response is Reference {
  return '$ref' in response;
}

/** @returns the statuses of an operation's shared errors, as links to where they are described */
function sharedErrorLinks({ words }: View, responses: [status: string, Response | Reference][]): SafeHtml {
  const shared = responses.filter(([, response]) => isShared(response));
  if (shared.length === 0) return html``;
  const links = shared.map(
    ([status]) => html` <a href="#${sharedErrorsId}"><span class="status s${status[0]}">${status}</span></a>`,
  );
  return html`<p class="answer">${words.alsoErrors}${links}</p>`;
}

/** @returns the section that describes the shared errors; nothing without any */
export function sharedErrors(view: View): SafeHtml {
  const { document, words } = view;
  const found = sharedAnswers(document);
  if (found.length === 0) return html``;
  const answers = found.map(([status, response]) => answer(view, status, response));
  return html`<section class="group" aria-labelledby="${sharedErrorsId}">
  <h2 id="${sharedErrorsId}">${words.sharedErrors}</h2>
  <div class="prose"><p>${words.aboutSharedErrors}</p><div class="answers">${answers}</div></div>
</section>`;
}
