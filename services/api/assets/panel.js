import { followLiveParts } from './live.js';
import { offerPasskey } from './passkey.js';

// Copy buttons need this script, so it shows them.
for (const button of document.querySelectorAll('[data-copy]')) offerCopy(button);
for (const button of document.querySelectorAll('[data-print]')) offerPrint(button);
for (const button of document.querySelectorAll('[data-passkey]')) offerPasskey(button);
forgetPost();
followLiveParts(offerCopy);

function offerCopy(button) {
  if (!navigator.clipboard) return;
  button.hidden = false;
  button.addEventListener('click', async () => {
    const label = button.textContent;
    await navigator.clipboard.writeText(button.dataset.copy);
    button.textContent = 'Copiado';
    setTimeout(() => {
      button.textContent = label;
    }, 2_000);
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
