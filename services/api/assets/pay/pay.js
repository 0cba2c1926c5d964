const pollMs = 5_000;
const lateMs = 30_000;
const retryMs = 1_000;
const main = document.querySelector('main');

liven();
if (!hasEnded()) isClosed() ? poll() : follow();

function hasEnded() {
  return main.dataset.end === 'true';
}

/** The stream says no more of a closed payment. A Pix that the bank reports late may still pay it, so the page asks. */
function isClosed() {
  return main.dataset.state === 'closed';
}

/** The server tells every change of the state, for some minutes. Without its stream, the page asks. */
function follow() {
  if (!('EventSource' in window)) return poll();
  const source = new EventSource(main.dataset.events);
  source.onmessage = async ({ data }) => {
    await show(data);
    if (!hasEnded() && !isClosed()) return;
    source.close();
    if (!hasEnded()) poll();
  };
  source.addEventListener('ask', () => {
    source.close();
    if (!hasEnded()) poll();
  });
  source.onerror = () => {
    if (source.readyState === EventSource.CLOSED && !hasEnded()) poll();
  };
}

function poll() {
  setTimeout(
    async () => {
      if (!document.hidden) await refresh();
      if (!hasEnded()) poll();
    },
    isClosed() ? lateMs : pollMs,
  );
}

let wanted;

/** Reads the page until it shows the state: the network may be away for a moment. */
async function show(state) {
  if (state === wanted) return;
  wanted = state;
  while (wanted === state && main.dataset.state !== state && !(await refresh(state)))
    await new Promise((resolve) => setTimeout(resolve, retryMs));
}

/**
 * Takes the content of the page as the server has it now: from the payment's own address, since a refused form is
 * answered at another one, which nobody can read. Returns whether it has this state.
 */
async function refresh(state) {
  try {
    const answer = await fetch(main.dataset.events.replace(/\/events$/, ''), { cache: 'no-store' });
    if (!answer.ok) return false;
    const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html');
    const next = fresh.querySelector('main');
    if (next.dataset.state !== main.dataset.state) replace(next, fresh.title);
    return next.dataset.state === state;
  } catch {
    return false;
  }
}

function replace(next, title) {
  document.title = title;
  main.className = next.className;
  Object.assign(main.dataset, next.dataset);
  main.replaceChildren(...next.childNodes);
  document.querySelector('[data-announce]').textContent = main.querySelector('h1').textContent;
  liven();
}

/** Adds what needs this script: the copy button and the time left. */
function liven() {
  const button = main.querySelector('[data-copy]');
  if (button) offerCopy(button);
  const left = main.querySelector('[data-seconds-left]');
  if (left) countDown(left, performance.now() + Number(left.dataset.secondsLeft) * 1_000);
}

const copied = 'Código copiado';
const byHand = 'Toque e segure o código para copiar';
const promptMs = 1_000;
const praiseMs = 2_000;

function offerCopy(button) {
  const field = document.getElementById(button.dataset.copy);
  const advice = main.querySelector('[data-copy-advice]');
  const label = button.textContent;
  let praise;
  const tell = (isCopied) => {
    if (!button.isConnected) return;
    advice.textContent = isCopied ? '' : byHand;
    advice.hidden = isCopied;
    announce(isCopied ? copied : byHand);
    clearTimeout(praise);
    button.textContent = isCopied ? copied : label;
    if (isCopied) praise = setTimeout(() => (button.textContent = label), praiseMs);
  };
  button.hidden = false;
  button.addEventListener('click', async () => {
    const written = write(field.value);
    // A browser that asks for permission answers only after the person does.
    if (await Promise.race([written, pause(promptMs)])) return tell(true);
    const isCopied = copySelected(field);
    tell(isCopied);
    if (!isCopied && (await written)) tell(true);
  });
}

/** The clipboard needs https, and a permission in pages within apps. Returns whether it has the text. */
async function write(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** Selects the code, which stays selected for the person's own hand. Returns whether the old command copied it. */
function copySelected(field) {
  field.focus();
  field.select();
  // Safari selects nothing of a read-only field by select().
  field.setSelectionRange(0, field.value.length);
  try {
    return document.execCommand('copy') === true;
  } catch {
    return false;
  }
}

/** Emptied first: a screen reader says nothing of a text that stays the same. */
function announce(text) {
  const place = document.querySelector('[data-announce]');
  place.textContent = '';
  setTimeout(() => (place.textContent = text));
}

function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function countDown(place, endsAt) {
  const tick = () => {
    if (!place.isConnected) return;
    const seconds = Math.max(0, Math.ceil((endsAt - performance.now()) / 1_000));
    place.textContent = `(${timeLeft(seconds)})`;
    if (seconds > 0) setTimeout(tick, 1_000);
  };
  tick();
}

function timeLeft(seconds) {
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  if (hours >= 48) return `faltam ${Math.floor(hours / 24)} dias`;
  if (hours > 0) return `faltam ${hours} h ${minutes} min`;
  const rest = String(seconds % 60).padStart(2, '0');
  if (minutes > 0) return `faltam ${minutes} min ${rest} s`;
  return seconds === 1 ? 'falta 1 s' : `faltam ${seconds} s`;
}
