/**
 * Sets a password on an invitation's page, as a browser does.
 * @throws Error for an invitation that does not work
 */
export async function setPassword(page: string, password: string): Promise<void> {
  const form = await fetch(page);
  const token = /name="_csrf" value="([^"]+)"/.exec(await form.text())?.[1];
  const cookie = form.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
  const answer = await fetch(page, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie },
    body: new URLSearchParams({ _csrf: token ?? '', password }),
  });
  await answer.body?.cancel();
  if (answer.status !== 303) throw new Error(`a demo account's invitation answered ${answer.status}`);
}
