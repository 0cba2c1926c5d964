const ownPath = /^\/panel(?:[/?][\w\-./?=&%]*)?$/;

/** @returns the page to go to after the sign-in: only the panel's own, so that a link can't redirect elsewhere */
export function backFrom(value: unknown): string {
  const isOwn = typeof value === 'string' && ownPath.test(value) && !value.includes('//');
  return isOwn && !value.startsWith('/panel/sign-') ? value : '/panel';
}
