import { html, type SafeHtml } from '../../pages/html.ts';
import { type Located, type Parameter, resolve, type View } from '../document.ts';
import { code, markdown } from '../markdown.ts';
import { responses } from './answers.ts';
import { field, fields } from './schema.ts';
import { bodyExample, tryIt } from './try-it.ts';

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
