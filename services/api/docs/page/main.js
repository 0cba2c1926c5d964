import {
  foldContentsOnPhones,
  keepPlaceInOtherLanguage,
  markPlaceInContents,
  showTarget,
} from './contents.js';
import { addCopyButtons } from './copy.js';
import { showSamples } from './samples.js';
import { showSearch } from './search.js';
import { keepToken } from './token.js';
import { showForms } from './try-it.js';

/** The script of the docs pages. `npm run openapi` bundles it as `assets/docs.js`. */
// In the static site there is no service to send requests to.
if (document.body.dataset.service === undefined) {
  keepToken();
  showForms();
}
showSamples();
showSearch();
addCopyButtons(document);
foldContentsOnPhones();
showTarget();
const markPlace = markPlaceInContents();
addEventListener('hashchange', showTarget);
keepPlaceInOtherLanguage(markPlace);
