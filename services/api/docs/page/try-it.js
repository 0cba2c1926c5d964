import { addCopyButtons } from './copy.js';
import { element } from './element.js';
import { requestOf } from './request.js';
import { urlOf } from './url.ts';
import { words } from './words.js';

/** Sends the reference's requests from the page to the service that serves it. */
export function showForms() {
  for (const form of document.querySelectorAll('form.try-it')) {
    form.hidden = false;
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      void send(form);
    });
  }
}

async function send(form) {
  const output = form.querySelector('output');
  const button = form.querySelector('button[type=submit]');
  const { method, path, headers, body, ...values } = requestOf(form);
  const url = document.body.dataset.base + urlOf(path, values);
  button.disabled = true;
  output.replaceChildren();
  const begun = performance.now();
  try {
    const response = await fetch(url, { method: method.toUpperCase(), headers, body });
    const blob = await response.blob();
    const elapsed = Math.round(performance.now() - begun);
    const status = element('p', { className: 'outcome' }, [
      element('span', { className: `status s${String(response.status)[0]}` }, [String(response.status)]),
      ` ${response.statusText} · ${elapsed} ms`,
    ]);
    output.replaceChildren(status, ...(await shown(blob)));
    addCopyButtons(output);
  } catch (error) {
    output.replaceChildren(element('p', { className: 'outcome' }, [`${words.notSent} ${error.message}`]));
  } finally {
    button.disabled = false;
  }
}

/** Renders the body of a response: formatted JSON, or an image. */
async function shown(blob) {
  if (blob.size === 0) return [];
  if (blob.type.startsWith('image/')) {
    return [element('img', { className: 'answer', src: URL.createObjectURL(blob), alt: words.image })];
  }
  const [body, id] = readable(await blob.text());
  rememberId(id);
  return [element('pre', { className: 'code', tabIndex: 0 }, [element('code', {}, [body])])];
}

function readable(text) {
  try {
    const json = JSON.parse(text);
    return [JSON.stringify(json, undefined, 2), json.qrCopyPaste !== undefined ? json.id : undefined];
  } catch {
    return [text, undefined];
  }
}

/** Fills the id of a new payment into the forms that read payments. */
function rememberId(id) {
  if (id === undefined) return;
  for (const input of document.querySelectorAll('form.try-it [data-in=path][name=id]')) {
    if (input.value !== '') continue;
    input.value = id;
    input.dispatchEvent(new Event('input', { bubbles: true }));
  }
}
