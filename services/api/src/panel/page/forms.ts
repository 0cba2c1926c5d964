import { html, nothing, type SafeHtml } from '../../html.ts';

export type PostForm = { csrf: string; action: string; className?: string };

/** A form that changes something; its token shows that it came from our own page. */
export function postForm({ csrf, action, className }: PostForm, content: SafeHtml): SafeHtml {
  return html`<form method="post" action="${action}" class="${className ?? ''}">
    <input type="hidden" name="_csrf" value="${csrf}">${content}</form>`;
}

export type Confirmation = PostForm & {
  id: string;
  /** The button that opens it. */
  label: string;
  /** What will happen, and that it can't be undone. */
  warning: string;
  confirm: string;
  danger?: boolean;
  /** Shown at once: what was typed in it was found wrong. */
  open?: boolean;
};

/** A button that opens its own question first: for what can't be undone. Works without script. */
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
