import { html, type SafeHtml } from '../../pages/html.ts';
import { answer } from './answer.ts';
import { type Operation, resolve, type View } from './document.ts';
import { isShared, sharedErrorLinks } from './shared-errors.ts';

/** @returns an operation's responses by status; errors with each message and its condition */
export function responses(view: View, operation: Operation, isWebhook: boolean): SafeHtml {
  const all = Object.entries(operation.responses);
  const answers = all
    .filter(([, response]) => !isShared(response))
    .map(([status, response]) => answer(view, status, resolve(view.document, response)));
  const heading = isWebhook ? view.words.yourResponse : view.words.responses;
  return html`<h4>${heading}</h4><div class="answers">${answers}${sharedErrorLinks(view, all)}</div>`;
}
