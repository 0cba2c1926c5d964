import { html, type SafeHtml } from '../../pages/html.ts';
import { answer } from './answer.ts';
import { operationsOf, type Reference, type Response, resolve, type View } from './document.ts';

/** The errors that are components: they are the same in every operation that has them, and shown once. */
export const sharedErrorsId = 'shared-errors';

export function isShared(response: Response | Reference): response is Reference {
  return '$ref' in response;
}

/** @returns the statuses of an operation's shared errors, as links to where they are described */
export function sharedErrorLinks(
  { words }: View,
  responses: [status: string, Response | Reference][],
): SafeHtml {
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
  const found = new Map<string, Response>();
  for (const { operation } of operationsOf(document)) {
    for (const [status, response] of Object.entries(operation.responses)) {
      if (isShared(response)) found.set(status, resolve<Response>(document, response));
    }
  }
  if (found.size === 0) return html``;
  const answers = [...found]
    .sort(([one], [other]) => one.localeCompare(other))
    .map(([status, response]) => answer(view, status, response));
  return html`<section class="group" aria-labelledby="${sharedErrorsId}">
  <h2 id="${sharedErrorsId}">${words.sharedErrors}</h2>
  <div class="prose"><p>${words.aboutSharedErrors}</p><div class="answers">${answers}</div></div>
</section>`;
}
