import { isDay } from '@payments/domain/days';
import { dayText, html, nothing, type SafeHtml } from '../../pages/html.ts';

export type PostForm = { csrf: string; action: string; className?: string };

/** A form that changes data. Its token proves that it came from our own page. */
export function postForm({ csrf, action, className }: PostForm, content: SafeHtml): SafeHtml {
  return html`<form method="post" action="${action}" class="${className ?? ''}">
    <input type="hidden" name="_csrf" value="${csrf}">${content}</form>`;
}

type Confirmation = PostForm & {
  id: string;
  /** Label of the button that opens the question. */
  label: string;
  /** The consequence, and that nobody can undo it. */
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

/** The hidden field by which `touchedIn` knows what the person changed. */
export function shownField(values: Record<string, string>): SafeHtml {
  const read = Object.entries(values).map(([name, value]) => [name, value.trim()]);
  return html`<input type="hidden" name="shown" value="${JSON.stringify(Object.fromEntries(read))}">`;
}

type TextField = {
  name: string;
  label: string;
  value?: string | undefined;
  hint?: string;
  error?: string | undefined;
  type?: 'text' | 'password' | 'email' | 'url' | 'search';
  inputmode?: 'decimal' | 'numeric';
  autocomplete?: string;
  placeholder?: string;
  pattern?: string;
  /** The browser’s words for a text outside the pattern. */
  title?: string;
  /** The browser's own field that the page's script opens beside this one. */
  calendar?: 'date' | 'datetime-local';
  prefix?: string;
  suffix?: string;
  required?: boolean;
  /** A filter's field, which needs no “opcional” mark. */
  filter?: boolean;
  autofocus?: boolean;
  /** Needed if another form on the page has a field of the same name. */
  id?: string;
};

/** A labelled field with its hint and error. */
export function textField(field: TextField): SafeHtml {
  const { name, value = '', type = 'text', prefix, suffix } = field;
  const id = field.id ?? name;
  return html`<div class="field ${field.error ? 'wrong' : ''}">
    <label for="${id}">${field.label}${optionalMark(field)}</label>
    <div class="input">${prefix ? html`<span aria-hidden="true">${prefix}</span>` : nothing}
      <input id="${id}" name="${name}" type="${type}" value="${value}"${attributes(field, id)}>
      ${suffix ? html`<span aria-hidden="true">${suffix}</span>` : nothing}</div>
    ${notes(field, id)}
  </div>`;
}

/**
 * A labelled field of a day. A browser's own field would show the day as the browser's language writes it, so that one
 * person reads March where another reads April.
 * @param field its value is a day as `2026-11-23`
 */
export function dayField(field: TextField): SafeHtml {
  const { value = '' } = field;
  if (value !== '' && !isDay(value)) return textField(field);
  return textField({ ...field, ...days, value: value && dayText(value) });
}

/** A labelled field of a day and a time; see `dayField`. */
export function momentField(field: TextField): SafeHtml {
  return textField({ ...field, ...moments });
}

const days = {
  placeholder: 'dd/mm/aaaa',
  pattern: '\\d{1,2}/\\d{1,2}/\\d{4}',
  title: 'dd/mm/aaaa',
  calendar: 'date',
} as const;

const moments = {
  placeholder: 'dd/mm/aaaa hh:mm',
  pattern: '\\d{1,2}/\\d{1,2}/\\d{4} +\\d{1,2}:\\d{2}',
  title: 'dd/mm/aaaa hh:mm',
  calendar: 'datetime-local',
} as const;

/** A labelled field for text of several lines. */
export function textArea(field: TextField & { rows?: number }): SafeHtml {
  const id = field.id ?? field.name;
  return html`<div class="field ${field.error ? 'wrong' : ''}">
    <label for="${id}">${field.label}${optionalMark(field)}</label>
    <textarea id="${id}" name="${field.name}" rows="${field.rows ?? 3}"${attributes(field, id)}>
${field.value ?? ''}</textarea>
    ${notes(field, id)}
  </div>`;
}

type Switch = { name: string; label: string; value: string | undefined; hint?: string };

/** A box to tick; the form has its name with `on` if it is ticked, and not at all otherwise. */
export function checkbox({ name, label, value, hint }: Switch): SafeHtml {
  return html`<div class="field check">
    <input id="${name}" name="${name}" type="checkbox"${value === 'on' ? html` checked` : nothing}${optional('aria-describedby', hint ? `${name}-hint` : undefined)}>
    <label for="${name}">${label}</label>
    ${hint ? html`<p class="hint" id="${name}-hint">${hint}</p>` : nothing}
  </div>`;
}

type Choice = { value: string; label: string };

type Select = { name: string; label: string; value: string; id?: string; isWrong?: boolean };

export function select(
  { name, label, value, id = name, isWrong = false }: Select,
  choices: readonly Choice[],
): SafeHtml {
  const options = choices.map(
    (choice) =>
      html`<option value="${choice.value}"${choice.value === value ? html` selected` : nothing}>${choice.label}</option>`,
  );
  return html`<div class="field"><label for="${id}">${label}</label>
    <select id="${id}" name="${name}"${isWrong ? html` autofocus aria-invalid="true"` : nothing}>${options}</select></div>`;
}

function optionalMark({ required, filter }: TextField): SafeHtml {
  return required || filter ? nothing : html` <span class="optional">opcional</span>`;
}

/** A wrong field has the focus, wherever on its page it stands. */
function attributes(field: TextField, id: string): SafeHtml {
  const described = [field.hint ? `${id}-hint` : '', field.error ? `${id}-error` : '']
    .filter(Boolean)
    .join(' ');
  return html`${field.required ? html` required` : nothing}${field.autofocus || field.error ? html` autofocus` : nothing}${optional('inputmode', field.inputmode)}${optional('autocomplete', field.autocomplete ?? 'off')}${optional('placeholder', field.placeholder)}${optional('pattern', field.pattern)}${optional('title', field.title)}${optional('data-calendar', field.calendar)}${optional('aria-describedby', described)}${field.error ? html` aria-invalid="true"` : nothing}`;
}

function optional(name: string, value: string | undefined): SafeHtml {
  return value ? html` ${name}="${value}"` : nothing;
}

function notes({ hint, error }: TextField, id: string): SafeHtml {
  return html`${error ? html`<p class="error" id="${id}-error">${error}</p>` : nothing}
    ${hint ? html`<p class="hint" id="${id}-hint">${hint}</p>` : nothing}`;
}
