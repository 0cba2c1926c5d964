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
  type View,
} from '../document.ts';
import { code, inlineMarkdown } from '../markdown.ts';
import { field, fields } from './schema.ts';

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

function headers(view: View, { headers = {} }: Response): SafeHtml {
  const items = Object.entries(headers).map(([name, header]) => {
    const { schema = {}, description = '' } = resolve(view.document, header);
    return field(view, { name, required: false, schema: { ...schema, description } });
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
