import { element } from './element.js';
import { words } from './words.js';

/** Gives every block of code in a place a button that copies it. */
export function addCopyButtons(place) {
  if (!navigator.clipboard) return;
  for (const block of place.querySelectorAll('pre.code')) {
    const button = element('button', { className: 'copy', type: 'button' }, [words.copy]);
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(block.textContent);
      button.textContent = words.copied;
      setTimeout(() => {
        button.textContent = words.copy;
      }, 1_500);
    });
    const frame = element('div', { className: 'code-frame' });
    block.replaceWith(frame);
    frame.append(block, button);
  }
}
