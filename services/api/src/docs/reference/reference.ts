import { html, type SafeHtml } from '../../pages/html.ts';
import {
  examplesOf,
  type Located,
  type OpenApiDocument,
  operationsOf,
  type Parameter,
  resolve,
  type Schema,
  type View,
} from '../document.ts';
import type { Words } from '../languages.ts';
import { code, inlineMarkdown, markdown, slug } from '../markdown.ts';
import { field, fields, responses, sharedErrors, sharedErrorsId } from './schema.ts';

/** @returns a request as a program, and a form that sends it from the page (`docs/page/`) */
export function tryIt({ document, words }: View, located: Located, parameters: Parameter[]): SafeHtml {
  const { method, path, operation } = located;
  const id = operation.operationId;
  const example = bodyExample(document, located);
  const body = example === undefined ? undefined : JSON.stringify(example, undefined, 2);
  const inputs = parameters.map((parameter) => input(document, id, parameter));
  return html`<h4>${words.request}</h4>
${code(curl(document, located, example), 'bash')}
<form class="try-it" data-method="${method}" data-path="${path}"${needsToken(operation) && html` data-token`} aria-label="${words.tryOperation} ${operation.summary ?? id}" hidden>
  ${inputs}
  ${body !== undefined && html`<label for="${id}-body">${words.body}</label><textarea id="${id}-body" name="body" rows="${Math.min(14, body.split('\n').length)}" spellcheck="false">${body}</textarea>`}
  <button type="submit">${words.tryIt}</button>
  <output aria-live="polite"></output>
</form>`;
}

/** @returns the first example of an operation's body, or undefined without a body */
export function bodyExample(document: OpenApiDocument, { operation: { requestBody } }: Located): unknown {
  if (!requestBody) return undefined;
  const media = Object.values(resolve(document, requestBody).content)[0] ?? {};
  const given = examplesOf(document, media)[0];
  return given ? given.value : made(document, media.schema ?? {});
}

const needsToken = ({ security = [] }: Located['operation']) => security.length > 0;

function input(document: OpenApiDocument, operationId: string, parameter: Parameter): SafeHtml {
  const { name, required, schema = {} } = parameter;
  const id = `${operationId}-${name}`;
  const attributes = html`id="${id}" name="${name}" data-in="${parameter.in}"`;
  const whole = resolve(document, schema);
  const values = whole.enum ?? (whole.anyOf ?? []).filter((one) => 'const' in one).map((one) => one.const);
  const control =
    values.length > 0
      ? html`<select ${attributes}><option></option>${values.map((value) => html`<option>${String(value)}</option>`)}</select>`
      : html`<input ${attributes} type="text" autocomplete="off" spellcheck="false"${required && html` required`}${whole.default !== undefined && html` placeholder="${String(whole.default)}"`}>`;
  return html`<label for="${id}">${name}</label>${control}`;
}

/** The page's script replaces it: by the chosen language, with what is filled into the form. */
function curl(document: OpenApiDocument, { method, path, operation }: Located, example: unknown): string {
  const base = (document.servers?.[0]?.url ?? '').replace(/\/$/, '');
  // The admin document does not reveal the admin address.
  // With a body, curl defaults to POST.
  const flag =
    method === 'get' || (method === 'post' && example !== undefined) ? '' : `-X ${method.toUpperCase()} `;
  const lines = [`curl ${flag}"${base || '$ADMIN_URL'}${path}"`];
  if (needsToken(operation)) lines.push('-H "Authorization: Bearer $TOKEN"');
  if (example !== undefined) {
    lines.push("-H 'Content-Type: application/json'");
    lines.push(`-d '${JSON.stringify(example).replaceAll("'", "'\\''")}'`);
  }
  return lines.join(' \\\n  ');
}

/** Makes a minimal body with the required fields, for a schema without examples. */
function made(document: OpenApiDocument, schema: Schema): unknown {
  const whole = resolve(document, schema);
  const given = whole.examples?.[0] ?? whole.default ?? whole.const ?? whole.enum?.[0];
  if (given !== undefined) return given;
  const variant = (whole.anyOf ?? whole.oneOf)?.[0];
  if (variant) return made(document, variant);
  const type = [whole.type ?? 'object'].flat()[0];
  if (type === 'object') {
    const required = Object.entries(whole.properties ?? {}).filter(([name]) =>
      whole.required?.includes(name),
    );
    return Object.fromEntries(required.map(([name, property]) => [name, made(document, property)]));
  }
  return (
    { string: 'string', number: whole.minimum ?? 0, integer: whole.minimum ?? 0, boolean: true, array: [] }[
      type ?? ''
    ] ?? null
  );
}

export type Group = { id: string; title: string; description?: string | undefined; operations: Located[] };

type ReferencePlace = {
  /** The path of the English pages. */
  base: string;
  /** The path’s part that follows it in this language. */
  path: string;
  hasGuide: boolean;
  token: string | undefined;
};

/** @returns the reference's table of contents and body */
export function reference(
  view: View,
  { base, path, hasGuide, token }: ReferencePlace,
): { contents: SafeHtml; body: SafeHtml } {
  const { document, words } = view;
  const groups = groupsOf(view);
  const link = (text: string) =>
    inlineMarkdown(text.replaceAll('{docs}', base + path).replaceAll('{documents}', base));
  const body = html`<h1>${document.info.title}</h1>
<div class="prose lead">${document.info.description && markdown(document.info.description).body}
  ${hasGuide && html`<p>${link(words.aboutGuide)}</p>`}
  <p>${link(words.aboutDocument)}${hasGuide && html` ${link(words.aboutEarlierDocument)} ${link(words.aboutCollections)}`}</p></div>
${tokenForm(words, token)}
${groups.filter(({ id }) => !isAside(id)).map((group) => section(view, group))}
${sharedErrors(view)}
${groups.filter(({ id }) => isAside(id)).map((group) => section(view, group))}`;
  return { contents: contents(view, groups), body };
}

// Orchestrators know their own routes: they come last, folded.
const isAside = (id: string) => id === idOf('Health');

function section(view: View, { id, title, description, operations }: Group): SafeHtml {
  const shown = operations.map((one) => operation(view, one));
  return html`<section class="group" aria-labelledby="${id}">
  <h2 id="${id}">${title}</h2>
  ${description && html`<div class="prose">${markdown(description).body}</div>`}
  ${isAside(id) ? html`<details class="aside"><summary>${view.words.operations}</summary>${shown}</details>` : shown}
</section>`;
}

function contents({ words }: View, groups: Group[]): SafeHtml {
  const items = groups
    .filter(({ id }) => !isAside(id))
    .map(
      ({ id, title, operations }) =>
        html`<li><a class="title" href="#${id}">${title}</a><ul>${operations.map(
          ({ method, isWebhook, operation: { operationId, summary } }) =>
            html`<li><a href="#${operationId}">${methodBadge(method, isWebhook)} <span>${summary ?? operationId}</span></a></li>`,
        )}</ul></li>`,
    );
  const aside = groups.filter(({ id }) => isAside(id));
  return html`<ul>${items}<li><a class="title" href="#${sharedErrorsId}">${words.sharedErrors}</a></li>${aside.map(
    ({ id, title }) => html`<li><a class="title" href="#${id}">${title}</a></li>`,
  )}</ul>`;
}

/** @returns operations by their first tag, in the order of the document's tags */
export function groupsOf({ document, words }: View): Group[] {
  const groups = new Map<string, Group>();
  const add = (name: string, title: string, description?: string) => {
    const group: Group = { id: idOf(name), title, description, operations: [] };
    groups.set(name, group);
    return group;
  };
  for (const tag of document.tags ?? []) add(tag.name, tag['x-displayName'] ?? tag.name, tag.description);
  for (const located of operationsOf(document)) {
    const name = located.operation.tags?.[0] ?? (located.isWebhook ? words.webhooks : words.operations);
    (groups.get(name) ?? add(name, name)).operations.push(located);
  }
  return [...groups.values()].filter(({ operations }) => operations.length > 0);
}

// The prefix keeps a group's id apart from the operations' ids.
const idOf = (name: string) => `group-${slug(name)}`;

/** @returns the field of the token that requests from the page send */
export function tokenForm(words: Words, token: string | undefined): SafeHtml {
  return html`<form class="token" id="token-form" hidden>
  <label for="token">${words.token}</label>
  <input id="token" type="text" autocomplete="off" spellcheck="false" value="${token}" aria-describedby="token-note">
  <p id="token-note">${token ? words.tokenOffered : words.tokenKept}</p>
</form>`;
}

/** @returns an operation: its parameters, its responses and, except for webhooks, a form to try it */
export function operation(view: View, located: Located): SafeHtml {
  const { document } = view;
  const { method, path, operation: one, isWebhook } = located;
  const parameters = (one.parameters ?? []).map((parameter) => resolve(document, parameter));
  const title = one.summary ?? one.operationId;
  return html`<section class="operation" id="${one.operationId}" aria-labelledby="${one.operationId}-title">
  <h3 id="${one.operationId}-title"><a class="anchor" href="#${one.operationId}">${title}</a></h3>
  <p class="endpoint">${methodBadge(method, isWebhook)} <code>${isWebhook ? path : breakable(path)}</code></p>
  <div class="columns">
    <div class="prose">
      ${one.description && markdown(one.description).body}
      ${parameterLists(view, parameters)}
      ${requestBody(view, located)}
      ${responses(view, one, isWebhook)}
    </div>
    <div class="side">${isWebhook ? payload(view, located) : tryIt(view, located, parameters)}</div>
  </div>
</section>`;
}

/** @returns the method as a coloured label */
export function methodBadge(method: string, isWebhook = false): SafeHtml {
  return html`<span class="method ${isWebhook ? 'webhook' : method}">${isWebhook ? 'webhook' : method.toUpperCase()}</span>`;
}

function parameterLists(view: View, parameters: Parameter[]): SafeHtml[] {
  const { words } = view;
  const places: Record<Parameter['in'], string> = {
    path: words.pathParameters,
    query: words.queryParameters,
    header: words.headers,
  };
  return Object.entries(places).flatMap(([place, heading]) => {
    const found = parameters.filter((parameter) => parameter.in === place);
    if (found.length === 0) return [];
    const items = found.map(({ name, schema = {}, description, required = false }) =>
      field(view, { name, required, schema: description ? { ...schema, description } : schema }),
    );
    return [html`<h4>${heading}</h4><ul class="fields">${items}</ul>`];
  });
}

function requestBody(view: View, { operation: { requestBody } }: Located): SafeHtml {
  if (!requestBody) return html``;
  const { content, description } = resolve(view.document, requestBody);
  const { schema } = Object.values(content)[0] ?? {};
  return html`<h4>${view.words.body}</h4>${description && markdown(description).body}${schema && fields(view, schema)}`;
}

function payload({ document, words }: View, located: Located): SafeHtml {
  const example = bodyExample(document, located);
  return example === undefined
    ? html``
    : html`<h4>${words.body}</h4>${code(JSON.stringify(example, undefined, 2), 'json')}`;
}

/** Lets a long path break after its slashes. */
function breakable(path: string): SafeHtml[] {
  return path.split('/').map((part, index) => html`${index > 0 && html`/<wbr>`}${part}`);
}
