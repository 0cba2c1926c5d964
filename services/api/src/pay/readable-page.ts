const below = '/pay/';

/**
 * The router answers a URL that it can't decode before any plugin sees it, with an error body. Below `/pay` people
 * read the answer, so such a URL becomes one of no payment, whose answer is a page (Contract: payer's page).
 * @returns the URL to route
 */
export function readablePage({ url = '' }: { url?: string | undefined }): string {
  return url.startsWith(below) && url.includes('%') && !isReadable(url) ? below : url;
}

function isReadable(url: string): boolean {
  try {
    decodeURI(url.split('?', 1)[0]!);
    return true;
  } catch {
    return false;
  }
}
