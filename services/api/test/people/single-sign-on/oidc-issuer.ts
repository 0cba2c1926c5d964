import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { freePort } from '@payments/local-servers/free-port';

/** A person as the issuer knows them. */
export type IssuerPerson = { sub: string } & Record<string, unknown>;

export type Issuer = {
  url: string;
  /** Whoever signs in at the issuer next. */
  person: IssuerPerson;
  /** Answers nothing but 500 while it is true. */
  isBroken: boolean;
  /** Requests for tokens so far, and what the next ones wait for. */
  asked: number;
  ready: Promise<void>;
  close(): void;
};

export const clientId = 'panel';
export const clientSecret = 'a-secret-of-the-issuer-and-the-panel';

type Provider = {
  callback(): (request: IncomingMessage, response: ServerResponse) => void;
  interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>;
  Grant: new (about: object) => { addOIDCScope(scope: string): void; save(): Promise<string> };
};

/** Starts a real OpenID Connect provider, which signs in whoever `person` is. */
export async function startIssuer(redirectUri: string): Promise<Issuer> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  // The package brings no types.
  const name = 'oidc-provider';
  const { default: ProviderOf } = (await import(name)) as {
    default: new (url: string, options: object) => Provider;
  };
  const issuer: Issuer = {
    url,
    person: { sub: 'nobody' },
    isBroken: false,
    asked: 0,
    ready: Promise.resolve(),
    close: () => server.close(),
  };
  const provider = new ProviderOf(url, {
    clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: [redirectUri] }],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
    pkce: { required: () => true },
    cookies: { keys: ['a key of the test'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    findAccount: (_: unknown, sub: string) => ({
      accountId: sub,
      claims: async () => ({ ...issuer.person, sub }),
    }),
    loadExistingGrant: async () => {
      const grant = new provider.Grant({ clientId, accountId: issuer.person.sub });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
  });
  const handle = provider.callback();
  const server = createServer((request, response) => {
    if (issuer.isBroken) return void response.writeHead(500).end();
    if (request.url === '/token') {
      issuer.asked += 1;
      return void issuer.ready.then(() => handle(request, response));
    }
    if (!request.url?.startsWith('/interaction/')) return handle(request, response);
    const login = { accountId: issuer.person.sub };
    return void provider.interactionFinished(request, response, { login });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return issuer;
}
