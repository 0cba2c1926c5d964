import { offerCalendar } from './calendar.js';
import { followLiveParts } from './live.js';
import { offerPasskey } from './passkey.js';

// Copy buttons need this script, so it shows them.
for (const button of document.querySelectorAll('[data-copy]')) offerCopy(button);
for (const button of document.querySelectorAll('[data-print]')) offerPrint(button);
for (const button of document.querySelectorAll('[data-passkey]')) offerPasskey(button);
for (const field of document.querySelectorAll('[data-calendar]')) offerCalendar(field);
for (const here of document.querySelectorAll('nav [aria-current]')) showInMenu(here);
for (const menu of document.querySelectorAll('details.more')) offerToClose(menu);
forgetPost();
showNotice();
followLiveParts(offerCopy);
document.addEventListener('submit', sendOnce);
addEventListener('pageshow', allowAgain);

function offerCopy(button) {
  if (!navigator.clipboard) return;
  button.hidden = false;
  button.addEventListener('click', async () => {
    if (!(await write(button.dataset.copy))) return selectCode(button);
    button.textContent = 'Copiado';
    setTimeout(() => {
      button.textContent = 'Copiar';
    }, 2_000);
  });
}

/** Returns whether the clipboard has the text. */
async function write(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** Without the clipboard the text stays selected for the person's own hand. */
function selectCode(button) {
  button.textContent = 'Selecionado: use Ctrl+C';
  getSelection().selectAllChildren(button.parentElement.querySelector('code'));
}

/** On phones a menu is wider than the screen. */
function showInMenu(here) {
  const menu = [here.closest('ul'), here.closest('nav')].find(
    (one) => getComputedStyle(one).overflowX === 'auto',
  );
  if (!menu) return;
  const [inner, outer] = [here, menu].map((one) => one.getBoundingClientRect());
  menu.scrollLeft += inner.left - outer.left - (outer.width - inner.width) / 2;
}

/** The menu lies over the page, and would hide what has the focus below it. */
function offerToClose(menu) {
  menu.addEventListener('focusout', ({ relatedTarget: next }) => {
    if (next && !menu.contains(next)) menu.open = false;
  });
  menu.addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape' || !menu.open) return;
    menu.open = false;
    menu.querySelector('summary').focus();
  });
}

function offerPrint(button) {
  button.hidden = false;
  button.addEventListener('click', () => print());
}

/** A page with a value that is shown once is the response to a post. A reload must not post again. */
function forgetPost() {
  const shownOnce = document.querySelector('[data-address]');
  if (shownOnce) history.replaceState(null, '', shownOnce.dataset.address);
}

/** An address that leads to a part of the page leaves the notice of what was done there out of sight. */
function showNotice() {
  const heading = document.getElementById(location.hash.slice(1))?.querySelector('h2');
  const notice = document.querySelector('main > .alert.done');
  if (heading && notice) heading.after(notice);
}

// Longer than a request may take.
const sentMs = 35_000;
const sent = new WeakMap();

/**
 * A second click would create a second key, and nobody would see the first. The page is not told of a request that the
 * person stops, so its form can be sent again after a while.
 */
function sendOnce(event) {
  const form = event.target;
  if (form.getAttribute('method') !== 'post') return;
  if (sent.has(form)) return event.preventDefault();
  sent.set(
    form,
    setTimeout(() => sent.delete(form), sentMs),
  );
}

/** The browser's back button shows a page again, whose forms were sent. */
function allowAgain() {
  for (const form of document.forms) {
    clearTimeout(sent.get(form));
    sent.delete(form);
  }
}
