import { html, type SafeHtml } from '../pages/html.ts';
import { inlineMarkdown, scrollable } from './markdown.ts';
import { messageOf } from './reference/answer.ts';
import { examplesOf, type OpenApiDocument, operationsOf, resolve, type View } from './reference/document.ts';

/** @returns every error of the stores' operations once: status, exact message and condition */
export function errorTable({ document, words }: View): SafeHtml {
  const { errorTable: heads } = words;
  const rows = errorsOf(document).map(
    ({ status, message, when }) =>
      html`<tr><td><span class="status s${status[0]}">${status}</span></td><td><code>${message}</code></td><td>${inlineMarkdown([...when].join(' '))}</td></tr>`,
  );
  return scrollable(
    html`<table class="errors"><thead><tr><th>${heads.status}</th><th>${heads.message}</th><th>${heads.when}</th></tr></thead><tbody>${rows}</tbody></table>`,
  );
}

type ErrorRow = { status: string; message: string; when: Set<string> };

function errorsOf(document: OpenApiDocument): ErrorRow[] {
  const found = new Map<string, ErrorRow>();
  for (const { operation, isWebhook } of operationsOf(document)) {
    if (isWebhook) continue;
    for (const [status, response] of Object.entries(operation.responses)) {
      const media = resolve(document, response).content?.['application/json'];
      if (status < '400' || !media) continue;
      for (const { value, summary, description } of examplesOf(document, media)) {
        const message = messageOf(value);
        const key = `${status} ${message}`;
        const row = found.get(key) ?? { status, message, when: new Set() };
        found.set(key, { ...row, when: row.when.add(summary ?? description ?? '') });
      }
    }
  }
  return [...found.values()].sort((one, other) => one.status.localeCompare(other.status));
}
