import MiniSearch from 'minisearch';
import { element } from './element.js';
import { words } from './words.js';

const most = 8;
const here = document.documentElement.lang;
const names = { en: 'English', 'pt-BR': 'Português' };

/** Searches the reference and the guide, in both languages; those in the reader's come first. */
export function showSearch() {
  const place = document.querySelector('.search');
  if (!place) return;
  const input = element('input', { type: 'search', placeholder: words.search, ariaLabel: words.search });
  const results = element('ul', { ariaLabel: words.results });
  const status = element('p', { className: 'unseen', role: 'status' });
  place.append(input, status, results);
  place.hidden = false;
  let index;
  const search = async () => {
    index ??= load();
    const found = input.value.trim() === '' ? [] : (await index)(input.value);
    status.textContent = input.value.trim() !== '' && found.length === 0 ? words.noResult : '';
    results.replaceChildren(...found.map(result));
  };
  input.addEventListener('focus', () => {
    index ??= load();
  });
  input.addEventListener('input', () => void search());
  place.addEventListener('keydown', (event) => move(event, place));
  place.addEventListener('click', ({ target }) => {
    if (target.closest('a')) results.replaceChildren();
  });
}

/** Loads the texts when somebody first searches. */
async function load() {
  const response = await fetch(`${docs()}search.json`);
  const entries = await response.json();
  const index = new MiniSearch({
    fields: ['title', 'text'],
    storeFields: ['title', 'href', 'lang'],
    processTerm: plain,
    searchOptions: {
      boost: { title: 3 },
      prefix: true,
      fuzzy: 0.15,
      combineWith: 'AND',
      boostDocument: (_id, _term, { lang }) => (lang === here ? 2 : 1),
    },
  });
  index.addAll(entries.map((entry, id) => ({ id, ...entry })));
  return (text) => index.search(text).slice(0, most);
}

/** The address of the docs, in the static site relative to the page: what a search finds is relative to it there. */
const docs = () => new URL(`${document.body.dataset.docs}/`, location.href).href;

/** Readers leave accents out. */
const plain = (term) => term.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

function result({ title, href, lang }) {
  const link = element('a', { href: new URL(href, docs()).href, lang }, [title]);
  if (lang !== here) link.append(' ', element('small', {}, [names[lang]]));
  return element('li', {}, [link]);
}

/** Arrows go through the results; Escape closes them. */
function move(event, place) {
  const stops = [...place.querySelectorAll('input, a')];
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (event.key === 'Escape') place.querySelector('ul').replaceChildren();
  if (!step) return;
  event.preventDefault();
  stops[stops.indexOf(document.activeElement) + step]?.focus();
}
