/** Marks the section on the screen in the table of contents, now and at every scroll. Returns what marks it at once. */
export function markPlaceInContents() {
  const links = new Map(
    [...document.querySelectorAll('.contents a')].map((link) => [link.hash.slice(1), link]),
  );
  const targets = [...links.keys()].map((id) => document.getElementById(id)).filter(Boolean);
  let current;
  const mark = () => {
    const passed = targets.filter((target) => target.getBoundingClientRect().top < innerHeight / 3);
    const isAtEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 2;
    const link = links.get((isAtEnd ? targets.at(-1) : (passed.at(-1) ?? targets[0]))?.id);
    if (link === current) return;
    current?.removeAttribute('aria-current');
    link?.setAttribute('aria-current', 'location');
    keepInView(link);
    current = link;
  };
  addEventListener('scroll', () => requestAnimationFrame(mark), { passive: true });
  mark();
  return mark;
}

/** Scrolls the table of contents only: a link's own `scrollIntoView` would move the page, too. */
function keepInView(link) {
  const frame = document.querySelector('.contents');
  const { top, bottom } = link.getBoundingClientRect();
  const { top: first, bottom: last } = frame.getBoundingClientRect();
  if (top < first || bottom > last) frame.scrollTop += top - (first + last) / 2;
}

export function foldContentsOnPhones() {
  const contents = document.querySelector('.contents details');
  const wide = matchMedia('(min-width: 64rem)');
  const fold = () => {
    contents.open = wide.matches;
  };
  fold();
  wide.addEventListener('change', fold);
}

/** Shows what the address names: unfolds it, and goes to where the forms above have moved it. */
export function showTarget() {
  const target = document.getElementById(location.hash.slice(1));
  const folded = target?.closest('details') ?? target?.parentElement.querySelector('details.aside');
  if (folded) folded.open = true;
  target?.scrollIntoView();
}

/** The other language opens at the same section: its anchors are the same. */
export function keepPlaceInOtherLanguage(markPlace) {
  const link = document.querySelector('a.language');
  link?.addEventListener('click', () => {
    markPlace();
    link.hash = document.querySelector('.contents a[aria-current]')?.hash ?? '';
  });
}
