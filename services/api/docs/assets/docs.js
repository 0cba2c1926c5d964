/** Sends the reference's requests from the page to the service that serves it. */
const tokenKey = 'docs-token';
const tokenForm = document.querySelector('#token-form');
const tokenInput = document.querySelector('#token');

if (tokenForm && tokenInput) {
  tokenForm.hidden = false;
  tokenInput.value ||= sessionStorage.getItem(tokenKey) ?? '';
  tokenInput.addEventListener('change', () => sessionStorage.setItem(tokenKey, tokenInput.value.trim()));
  tokenForm.addEventListener('submit', (event) => event.preventDefault());
}

for (const form of document.querySelectorAll('form.try-it')) {
  form.hidden = false;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void send(form);
  });
}

addCopyButtons();
foldContentsOnPhones();

async function send(form) {
  const output = form.querySelector('output');
  const button = form.querySelector('button[type=submit]');
  const { url, options } = requestOf(form);
  button.disabled = true;
  output.replaceChildren();
  const begun = performance.now();
  try {
    const response = await fetch(url, options);
    const blob = await response.blob();
    const elapsed = Math.round(performance.now() - begun);
    const status = element('p', 'outcome', [
      element('span', `status s${String(response.status)[0]}`, [String(response.status)]),
      ` ${response.statusText} · ${elapsed} ms`,
    ]);
    output.replaceChildren(status, ...(await shown(blob)));
  } catch (error) {
    output.replaceChildren(element('p', 'outcome', [`The request could not be sent: ${error.message}`]));
  } finally {
    button.disabled = false;
  }
}

/** Makes the arguments of `fetch` from a form. Requests always go to this page's own host. */
function requestOf(form) {
  const { method, path } = form.dataset;
  const headers = {};
  const query = new URLSearchParams();
  let filled = path;
  for (const { name, value, dataset } of form.querySelectorAll('[data-in]')) {
    if (dataset.in === 'path') filled = filled.replace(`{${name}}`, encodeURIComponent(value.trim()));
    else if (value === '') continue;
    else if (dataset.in === 'query') query.set(name, value);
    else headers[name] = value;
  }
  if ('token' in form.dataset && tokenInput.value.trim())
    headers.authorization = `Bearer ${tokenInput.value.trim()}`;
  const body = form.elements.namedItem('body')?.value;
  if (body) headers['content-type'] = 'application/json';
  const base = location.pathname.replace(/\/docs\/?$/, '');
  const search = query.size > 0 ? `?${query}` : '';
  return { url: `${base}${filled}${search}`, options: { method: method.toUpperCase(), headers, body } };
}

/** Renders the body of a response: formatted JSON, or an image. */
async function shown(blob) {
  if (blob.size === 0) return [];
  if (blob.type.startsWith('image/')) {
    const image = element('img', 'answer');
    image.src = URL.createObjectURL(blob);
    image.alt = 'The image that was answered';
    return [image];
  }
  const text = await blob.text();
  const [body, id] = readable(text);
  rememberId(id);
  const block = element('pre', 'code', [element('code', '', [body])]);
  block.tabIndex = 0;
  return [block];
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
  for (const input of document.querySelectorAll('form.try-it [data-in=path][name=id]')) input.value ||= id;
}

function addCopyButtons() {
  if (!navigator.clipboard) return;
  for (const block of document.querySelectorAll('pre.code')) {
    const button = element('button', 'copy', ['Copy']);
    button.type = 'button';
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(block.textContent);
      button.textContent = 'Copied';
      setTimeout(() => {
        button.textContent = 'Copy';
      }, 1_500);
    });
    const frame = element('div', 'code-frame');
    block.replaceWith(frame);
    frame.append(block, button);
  }
}

function foldContentsOnPhones() {
  const contents = document.querySelector('.contents details');
  const wide = matchMedia('(min-width: 64rem)');
  const fold = () => {
    contents.open = wide.matches;
  };
  fold();
  wide.addEventListener('change', fold);
}

function element(name, className = '', children = []) {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...children);
  return made;
}
