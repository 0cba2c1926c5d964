import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { ConfigurationError } from '@payments/runtime/environment';
import { ownPortSetting, portSetting, secondsSetting } from '@payments/runtime/settings';
import { sharedSettings } from '@payments/startup/settings';
import { type Static, Type } from '@sinclair/typebox';
import type { TrustedProxies } from './http/server.ts';
import type { FactorKeys } from './people/second-factor/actions.ts';

const callbackFile = (description: string) => Type.Optional(Type.String({ minLength: 1, description }));

/** The variables that the API reads from its environment. */
export const apiSettings = Type.Object({
  ...sharedSettings,
  PORT: portSetting(3000, 'Port of the public listener'),
  ADMIN_PORT: portSetting(3001, 'Port of the admin listener'),
  PANEL_PORT: ownPortSetting(
    'Port of a listener for the panel and health checks alone, which may be published; without it the admin port has the panel',
  ),
  ADMIN_KEY: Type.String({
    minLength: 8,
    description:
      'Makes the first account, and opens the admin listener in an emergency; 20 characters in production',
  }),
  ADMIN_KEY_PREVIOUS: Type.Optional(
    Type.String({
      minLength: 8,
      description:
        'The key before, which may do everything beside it while it is changed; never one that leaked',
    }),
  ),
  OIDC_ISSUER: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        'Single sign-on for the panel: the address of an OpenID Connect issuer; https, except on this machine. Its ' +
        'client’s redirect URI is `{ADMIN_URL}/panel/sign-in/sso/callback`',
    }),
  ),
  OIDC_CLIENT_ID: Type.Optional(Type.String({ minLength: 1, description: 'The client at that issuer' })),
  OIDC_CLIENT_SECRET: Type.Optional(Type.String({ minLength: 1, description: 'Its secret' })),
  OIDC_SCOPE: Type.String({
    default: 'openid email profile',
    description: 'Scopes to ask for; some issuers want `groups`, too',
  }),
  OIDC_ROLE_CLAIM: Type.String({ default: 'groups', description: 'The claim that lists a person’s groups' }),
  OIDC_ROLES: Type.Optional(
    Type.String({
      description:
        'Groups whose people get an account by themselves, with a platform’s role: `group=role,group=role`, or JSON',
    }),
  ),
  REQUIRE_SECOND_FACTOR: Type.Union(
    ['none', 'platform', 'all'].map((whose) => Type.Literal(whose)),
    {
      default: 'none',
      description:
        'Whose accounts at the panel need a second factor: `none`, `platform` for those of the platform, or `all`; who ' +
        'has none reaches only the page to set one up',
    },
  ),
  PROOF_SECONDS: secondsSetting(
    300,
    'How long a sign-in, a password or a factor is proof enough at the panel for keys, accounts, tokens, secrets and refunds',
  ),
  SESSION_IDLE_SECONDS: secondsSetting(
    1_800,
    'After how long without use a session of the panel ends; each ends after eight hours',
  ),
  PIX_CALLBACK_PORT: ownPortSetting(
    'Port of a listener for the callback alone; the public listener then takes the test bank’s callback alone',
  ),
  PIX_CALLBACK_CERT_FILE: callbackFile(
    'Certificate of that listener, PEM; with it mTLS, without it plain http for an ingress that has mTLS',
  ),
  PIX_CALLBACK_KEY_FILE: callbackFile("The certificate's key, PEM"),
  PIX_CALLBACK_CA_FILE: callbackFile("Authorities of the banks' certificates, PEM: nobody else gets in"),
  CHARGE_EXPIRES_IN_SECONDS: secondsSetting(86_400, 'How long a charge can be paid'),
  RATE_LIMIT_PER_MINUTE: Type.Integer({
    minimum: 0,
    default: 60_000,
    description:
      'Requests per minute of one store, and a tenth of it in unknown tokens, or wrong admin keys, of one address, ' +
      'per process; 0 is off, except for wrong admin keys: 1000 at most',
  }),
  TRUST_PROXY: Type.Optional(
    Type.String({
      description:
        'Whose `X-Forwarded-*` headers are believed: addresses or CIDRs of proxies, comma-separated, or a number of ' +
        'hops; without it nobody’s. Limits count by the address that this tells',
    }),
  ),
  QR_IMAGES_PER_MINUTE: Type.Integer({
    minimum: 0,
    default: 300,
    description:
      'QR images per minute that one address may ask for and the process has not drawn yet; 0 is off',
  }),
  PAYER_PAGES_PER_MINUTE: Type.Integer({
    minimum: 0,
    default: 3_000,
    description: 'Payers’ pages per minute that one address may open; 0 is off',
  }),
  KEEP_ALIVE_SECONDS: Type.Integer({
    minimum: 1,
    maximum: 3_600,
    default: 72,
    description:
      'How long an idle connection stays open, on every listener; longer than the balancer before it keeps its own',
  }),
  SHUTDOWN_DELAY_MS: Type.Integer({
    minimum: 0,
    maximum: 60_000,
    default: 0,
    description: 'How long a process that was told to stop goes on serving, so that balancers can turn away',
  }),
  DOCS_TOKEN_FILE: Type.Optional(
    Type.String({
      minLength: 1,
      description: 'JSON file whose `token` the docs page shows to everyone: for demonstrations only',
    }),
  ),
  DOCS_SIMULATOR_URL: Type.Optional(
    Type.String({
      pattern: '^https?://[^\\s?#]+$',
      description:
        'Simulated bank that the guide names for test payments; without it the guide leaves out what needs one',
    }),
  ),
  SECURITY_CONTACT: Type.Optional(
    Type.String({
      pattern: '^(mailto:[^\\s<>@]+@[^\\s<>@]+|https://[^\\s<>]+|tel:[^\\s<>]+)$',
      description:
        'Where a vulnerability of this installation is reported, for `security.txt` and the docs: a `mailto:`, `https:` or ' +
        '`tel:` URI; without it they name support',
    }),
  ),
});

export type ApiSettings = Static<typeof apiSettings>;

// One folder up from src/ and from dist/ alike: a built program lies directly in dist/.
const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');

/** The service's version, which its documents name. */
export const { version } = JSON.parse(manifest) as { version: string };

/** `SECRETS_KEY` outlives `ADMIN_KEY`; without it, a change of `ADMIN_KEY` needs `ADMIN_KEY_PREVIOUS` for a while. */
export function sealingKeysOf(settings: ApiSettings): FactorKeys {
  const { SECRETS_KEY, SECRETS_KEY_NEXT, SECRETS_KEY_PREVIOUS, ADMIN_KEY, ADMIN_KEY_PREVIOUS } = settings;
  const keys = [SECRETS_KEY, SECRETS_KEY_PREVIOUS, ADMIN_KEY, ADMIN_KEY_PREVIOUS];
  const [current = ADMIN_KEY, ...previous] = keys.filter((key) => key !== undefined);
  return { current, next: SECRETS_KEY_NEXT, previous };
}

const shortestKey = 20;

/** @throws ConfigurationError for a guessable key outside development, as `NODE_ENV` says, or else an https `PUBLIC_URL` */
export function assertLongKeys({ PUBLIC_URL, ADMIN_KEY, ADMIN_KEY_PREVIOUS }: ApiSettings): void {
  const { NODE_ENV = PUBLIC_URL.startsWith('https:') ? 'production' : 'development' } = process.env;
  if (NODE_ENV.trim() !== 'production') return;
  for (const [variable, key] of Object.entries({ ADMIN_KEY, ADMIN_KEY_PREVIOUS }))
    if (key !== undefined && key.length < shortestKey)
      throw new ConfigurationError(`${variable} must have at least ${shortestKey} characters in production`);
}

/** @throws ConfigurationError with the variable's name, for a file that can't be read */
export async function assertReadable(variable: string, file: string | undefined): Promise<void> {
  if (file === undefined) return;
  await readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw new ConfigurationError(`${variable} can't be read: ${error.code}`);
  });
}

/**
 * Reads `TRUST_PROXY`: addresses and CIDRs, or a number of hops.
 * @throws ConfigurationError with the variable's name, for any other entry
 */
export function trustedProxies(text = ''): TrustedProxies {
  const entries = text
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean);
  const [first] = entries;
  if (first === undefined) return false;
  // Fastify trusts no proxy if it gets a bare number.
  if (entries.length === 1 && /^\d{1,3}$/.test(first)) return (_address, hop) => hop < Number(first);
  const wrong = entries.find((entry) => !isAddressOrCidr(entry));
  if (wrong !== undefined)
    throw new ConfigurationError(
      `TRUST_PROXY: "${wrong}" is neither an address, nor a CIDR such as 10.0.0.0/8, nor a number of hops`,
    );
  return entries;
}

function isAddressOrCidr(entry: string): boolean {
  const [, address = '', prefix] = /^([\da-f:.]+)(?:\/(\d{1,3}))?$/i.exec(entry) ?? [];
  const family = isIP(address);
  if (family === 0 || prefix === undefined) return family !== 0;
  return Number(prefix) >= 1 && Number(prefix) <= (family === 4 ? 32 : 128);
}
