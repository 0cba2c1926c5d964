import { html, type SafeHtml } from '../../pages/html.ts';
import type { Words } from '../words/english.ts';

/** @returns the field of the token that requests from the page send */
export function tokenForm(words: Words, token: string | undefined): SafeHtml {
  return html`<form class="token" id="token-form" hidden>
  <label for="token">${words.token}</label>
  <input id="token" type="text" autocomplete="off" spellcheck="false" value="${token}" aria-describedby="token-note">
  <p id="token-note">${token ? words.tokenOffered : words.tokenKept}</p>
</form>`;
}
