import { html, type SafeHtml } from '../../html.ts';
import { markdown, slug } from '../markdown.ts';
import { type Located, type OpenApiDocument, operationsOf } from './document.ts';
import { methodBadge, operation } from './operation.ts';

type Group = { name: string; description?: string | undefined; operations: Located[] };

/** @returns the reference's table of contents and body */
export function reference(
  document: OpenApiDocument,
  { base, hasGuide, token }: { base: string; hasGuide: boolean; token: string | undefined },
): { contents: SafeHtml; body: SafeHtml } {
  const groups = groupsOf(document);
  const sections = groups.map(
    ({ name, description, operations }) => html`<section class="group" aria-labelledby="${idOf(name)}">
  <h2 id="${idOf(name)}">${name}</h2>
  ${description && html`<div class="prose">${markdown(description).body}</div>`}
  ${operations.map((one) => operation(document, one))}
</section>`,
  );
  const { info } = document;
  const body = html`<h1>${info.title}</h1>
<div class="prose lead">${info.description && markdown(info.description).body}
  ${hasGuide && html`<p>The <a href="${base}/guide">guide</a> says how it all works together, from the first payment to going live.</p>`}
  <p>The OpenAPI document, for tools: <a href="${base}/json">JSON</a>, <a href="${base}/yaml">YAML</a>.</p></div>
${tokenForm(token)}
${sections}`;
  return { contents: contents(groups), body };
}

function contents(groups: Group[]): SafeHtml {
  return html`<ul>${groups.map(
    ({ name, operations }) =>
      html`<li><a class="title" href="#${idOf(name)}">${name}</a><ul>${operations.map(
        ({ method, isWebhook, operation: { operationId, summary } }) =>
          html`<li><a href="#${operationId}">${methodBadge(method, isWebhook)} <span>${summary ?? operationId}</span></a></li>`,
      )}</ul></li>`,
  )}</ul>`;
}

function tokenForm(token: string | undefined): SafeHtml {
  return html`<form class="token" id="token-form" hidden>
  <label for="token">Bearer token</label>
  <input id="token" type="text" autocomplete="off" spellcheck="false" value="${token}" aria-describedby="token-note">
  <p id="token-note">${
    token
      ? 'The token of this installation’s demonstration store. “Try it” works at once.'
      : '“Try it” sends this token. Only this browser tab keeps it.'
  }</p>
</form>`;
}

/** Groups operations by their first tag, in the order of the document's tags. */
function groupsOf(document: OpenApiDocument): Group[] {
  const groups = new Map<string, Group>();
  for (const tag of document.tags ?? []) groups.set(tag.name, { ...tag, operations: [] });
  for (const located of operationsOf(document)) {
    const name = located.operation.tags?.[0] ?? (located.isWebhook ? 'Webhooks' : 'Operations');
    const group = groups.get(name) ?? { name, operations: [] };
    group.operations.push(located);
    groups.set(name, group);
  }
  return [...groups.values()].filter(({ operations }) => operations.length > 0);
}

// The prefix keeps a group's id apart from the operations' ids.
const idOf = (name: string) => `group-${slug(name)}`;
