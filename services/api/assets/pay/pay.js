const pollMs = 5_000;
const retryMs = 1_000;
const main = document.querySelector('main');

liven();
if (!hasEnded()) follow();

function hasEnded() {
  return main.dataset.end === 'true';
}

/** The server tells every change of the state, for some minutes. Without its stream, the page asks. */
function follow() {
  if (!('EventSource' in window)) return poll();
  const source = new EventSource(main.dataset.events);
  source.onmessage = async ({ data }) => {
    await show(data);
    if (hasEnded()) source.close();
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
  setTimeout(async () => {
    if (!document.hidden) await refresh();
    if (!hasEnded()) poll();
  }, pollMs);
}

let wanted;

/** Reads the page until it shows the state: the network may be away for a moment. */
async function show(state) {
  wanted = state;
  while (wanted === state && main.dataset.state !== state && !(await refresh(state)))
    await new Promise((resolve) => setTimeout(resolve, retryMs));
}

/** Takes the content of the page as the server has it now. Returns whether it has this state. */
async function refresh(state) {
  try {
    const answer = await fetch(location.href, { cache: 'no-store' });
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

function offerCopy(button) {
  const field = document.getElementById(button.dataset.copy);
  const label = button.textContent;
  button.hidden = false;
  button.addEventListener('click', async () => {
    await copy(field);
    button.textContent = 'Código copiado';
    document.querySelector('[data-announce]').textContent = 'Código copiado';
    setTimeout(() => {
      button.textContent = label;
    }, 2_000);
  });
}

/** The clipboard needs https. Elsewhere the old command still works. */
async function copy(field) {
  try {
    await navigator.clipboard.writeText(field.value);
  } catch {
    field.select();
    document.execCommand('copy');
  }
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
  return minutes > 0 ? `faltam ${minutes} min ${rest} s` : `faltam ${seconds} s`;
}
