import { element } from './element.js';
import { words } from './words.js';

/** Gives every block of code in a place a button that copies it. */
export function addCopyButtons(place) {
  if (!navigator.clipboard) return;
  for (const block of place.querySelectorAll('pre.code')) {
    const button = element('button', { className: 'copy', type: 'button' }, [words.copy]);
    button.addEventListener('click', async () => {
      button.textContent = (await isCopied(block)) ? words.copied : words.selected;
      setTimeout(() => {
        button.textContent = words.copy;
      }, 1_500);
    });
    const frame = element('div', { className: 'code-frame' });
    block.replaceWith(frame);
    frame.append(block, button);
  }
}

/** Where the clipboard refuses the code, it stays selected for the reader's own hand. */
async function isCopied(block) {
  try {
    await navigator.clipboard.writeText(block.textContent);
    return true;
  } catch {
    getSelection().selectAllChildren(block);
    return false;
  }
}
