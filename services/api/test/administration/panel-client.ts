/** A response of the panel: a page as text. */
export type PanelAnswer = { status: number; headers: Headers; text: string };

/** A person at the panel without a browser: keeps cookies, fills in forms, follows no redirect. */
export type PanelClient = {
  cookies: Map<string, string>;
  get(path: string, headers?: Record<string, string>): Promise<PanelAnswer>;
  head(path: string): Promise<PanelAnswer>;
  /** Posts a form with the token of `page`, which has the form. */
  post(path: string, fields?: Record<string, string>, page?: string): Promise<PanelAnswer>;
  signIn(key?: string): Promise<PanelAnswer>;
  signInAs(email: string, password: string): Promise<PanelAnswer>;
};

/**
 * @param adminUrl address of the system under test, whose admin key is `test-admin-key`
 * @param always headers of every request
 */
export function panelClient(adminUrl: string, always: Record<string, string> = {}): PanelClient {
  const cookies = new Map<string, string>();
  const send = async (path: string, init: RequestInit = {}): Promise<PanelAnswer> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...always, ...(init.headers as Record<string, string>), ...(cookie && { cookie }) };
    const answer = await fetch(adminUrl + path, { redirect: 'manual', ...init, headers });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };
  const get = (path: string, headers: Record<string, string> = {}) => send(path, { headers });
  const post = async (path: string, fields: Record<string, string> = {}, page = '/panel') => {
    const _csrf = tokenIn((await get(page)).text);
    return send(path, { method: 'POST', body: new URLSearchParams({ _csrf, ...fields }) });
  };
  return {
    cookies,
    get,
    head: (path) => send(path, { method: 'HEAD' }),
    post,
    signIn: (key = 'test-admin-key') => post('/panel/sign-in', { key }, '/panel/sign-in'),
    signInAs: (email, password) => post('/panel/sign-in', { email, password }, '/panel/sign-in'),
  };
}

/** @returns the fields of a page's form, as a browser sends them if the person touches nothing */
export function fieldsOf(page: string, action: string): Record<string, string> {
  const [form = ''] = page.slice(page.search(new RegExp(`action="${action}["#]`))).split('</form>');
  const fields: Record<string, string> = {};
  for (const [tag] of form.matchAll(/<(input|select)[^>]*>|<option[^>]* selected>/g)) {
    const named = (name: string) => new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1];
    // A chosen option follows its select.
    const name = named('name') ?? Object.keys(fields).at(-1);
    const value = named('value')?.replaceAll('&quot;', '"') ?? '';
    if (name && (named('type') !== 'checkbox' || / checked/.test(tag))) fields[name] = value;
  }
  return fields;
}

/** @returns the token of a page's forms */
export function tokenIn(page: string): string {
  return /name="_csrf" value="([^"]+)"/.exec(page)?.[1] ?? '';
}
