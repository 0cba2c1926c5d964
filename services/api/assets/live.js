const longestPauseMs = 30_000;

/**
 * Replaces the page's live parts when they change, by polling while the page is visible.
 * Polling slows down while the server is away, and stops at the end of the session.
 * @param {(button: Element) => void} offerCopy callback that activates the copy buttons of new parts
 */
export function followLiveParts(offerCopy) {
  const page = document.querySelector('[data-live-from]');
  if (!page) return;
  const { liveFrom, liveEvery } = page.dataset;
  const { session } = document.getElementById('content').dataset;
  let etag = '';
  let failures = 0;

  const ask = async () => {
    const headers = {
      'x-panel-live': '1',
      'x-panel-session': session,
      ...(etag && { 'if-none-match': etag }),
    };
    const answer = await fetch(liveFrom, { headers, redirect: 'error', cache: 'no-store' });
    if (answer.status === 401) return false;
    if (answer.status === 200) {
      etag = answer.headers.get('etag') ?? '';
      exchange(page, await answer.text(), offerCopy);
    } else if (answer.status !== 304) throw new Error(`answered ${answer.status}`);
    return true;
  };

  const turn = async () => {
    if (document.hidden) return void document.addEventListener('visibilitychange', turn, { once: true });
    try {
      if (!(await ask())) return say(page, 'Sua sessão terminou. Recarregue a página para entrar.');
      if (failures > 0) say(page, '');
      failures = 0;
    } catch {
      failures += 1;
      if (failures === 3) say(page, 'Sem conexão com o serviço. Tentando de novo…');
    }
    setTimeout(turn, Math.min(longestPauseMs, Number(liveEvery) * 2 ** failures));
  };
  setTimeout(turn, Number(liveEvery));
}

function say(page, text) {
  const notice = page.querySelector('[data-live-notice]');
  notice.textContent = text;
  notice.hidden = text === '';
}

function exchange(page, html, offerCopy) {
  const fresh = new DOMParser().parseFromString(html, 'text/html');
  for (const part of fresh.querySelectorAll('[data-live]')) {
    const shown = document.getElementById(part.id);
    if (!shown || shown.dataset.live === part.dataset.live) continue;
    const keep = stateOf(shown);
    shown.replaceChildren(...part.childNodes);
    restore(shown, keep);
    for (const button of shown.querySelectorAll('[data-copy]')) offerCopy(button);
    if (part.dataset.announce !== shown.dataset.announce) {
      page.querySelector('[data-live-status]').textContent = part.dataset.announce;
    }
    Object.assign(shown.dataset, { live: part.dataset.live, announce: part.dataset.announce });
  }
}

/** Keeps opened, typed and focused elements when a part of the page is replaced. */
function stateOf(part) {
  return {
    open: [...part.querySelectorAll('details[open][id]')].map(({ id }) => id),
    typed: [...part.querySelectorAll('textarea[id], input[id]')].map(({ id, value }) => [id, value]),
    focused: part.contains(document.activeElement) && {
      selector: selectorOf(document.activeElement, part),
      caret: caretOf(document.activeElement),
    },
  };
}

/** Returns the ends of what is selected and its direction; undefined for what has no caret. */
function caretOf({ selectionStart, selectionEnd, selectionDirection }) {
  return typeof selectionStart === 'number' ? [selectionStart, selectionEnd, selectionDirection] : undefined;
}

/** Names an element by its id, or by what it leads to or copies, in the form or part that has a name. */
function selectorOf(element, part) {
  if (element.id) return `#${CSS.escape(element.id)}`;
  const own = ['href', 'data-copy', 'aria-label'].find((name) => element.hasAttribute(name));
  const frame = element.closest('form, [id]');
  if (frame === part && !own) return null;
  const named = (one, name) => `${one.localName}[${name}="${CSS.escape(one.getAttribute(name))}"]`;
  const place = frame === part ? '' : named(frame, frame.id ? 'id' : 'action');
  return `${place} ${own ? named(element, own) : element.localName}`;
}

function restore(part, { open, typed, focused }) {
  const find = (id) => (id ? part.querySelector(`#${CSS.escape(id)}`) : null);
  for (const id of open) find(id)?.setAttribute('open', '');
  for (const [id, value] of typed) {
    const field = find(id);
    if (field) field.value = value;
  }
  if (!focused) return;
  // What is gone leaves the focus at its place on the page.
  part.tabIndex = -1;
  const same = focused.selector ? part.querySelector(focused.selector) : null;
  (same ?? part).focus({ preventScroll: true });
  // A new field's caret stands at its beginning, whatever was typed there.
  if (same && focused.caret) same.setSelectionRange(...focused.caret);
}
