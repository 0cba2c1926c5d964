import { html, nothing, type SafeHtml } from '../../pages/html.ts';

export type PostForm = { csrf: string; action: string; className?: string };

/** A form that changes data. Its token proves that it came from our own page. */
export function postForm({ csrf, action, className }: PostForm, content: SafeHtml): SafeHtml {
  return html`<form method="post" action="${action}" class="${className ?? ''}">
    <input type="hidden" name="_csrf" value="${csrf}">${content}</form>`;
}

export type Confirmation = PostForm & {
  id: string;
  /** Label of the button that opens the question. */
  label: string;
  /** What happens on confirmation, and that nobody can undo it. */
  warning: string;
  confirm: string;
  danger?: boolean;
  /** Opens the question at once, to show a wrong field in it. */
  open?: boolean;
};

/** A button that asks for a confirmation first, for actions that nobody can undo. It works without script. */
export function confirmation(
  { id, label, warning, confirm, danger = true, open = false, ...form }: Confirmation,
  fields: SafeHtml = nothing,
): SafeHtml {
  return html`<details class="confirm" id="${id}"${open ? html` open` : nothing}>
    <summary class="button ${danger ? 'danger' : ''}">${label}</summary>
    <div class="confirm-body">
      <p>${warning}</p>
      ${postForm(form, html`${fields}<button class="button ${danger ? 'danger solid' : 'primary'}">${confirm}</button>`)}
    </div>
  </details>`;
}
