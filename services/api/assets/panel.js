import { followLiveParts } from './live.js';

// Buttons that copy are of use only where this script runs.
for (const button of document.querySelectorAll('[data-copy]')) offerCopy(button);
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

/** What was shown once came as the answer to a post: a reload must read the page, not post again. */
function forgetPost() {
  const shownOnce = document.querySelector('[data-address]');
  if (shownOnce) history.replaceState(null, '', shownOnce.dataset.address);
}
