import { isThisMachine, withoutEndSlashes } from '@payments/runtime/addresses';
import { ConfigurationError } from '@payments/runtime/environment';
import { type Static, type TObject, Type } from '@sinclair/typebox';
import { type Psp, profiles, psps } from './profiles/all.ts';
import { overrideSettings } from './profiles/override-settings.ts';
import { overriddenProfile } from './profiles/overrides.ts';
import type { Profile } from './profiles/profile.ts';
import { testBankProfile } from './profiles/test-bank.ts';
import { tlsFiles } from './tls-settings.ts';
import type { PixClientOptions } from './types.ts';

const text = (description: string) => Type.Optional(Type.String({ minLength: 1, description }));
const count = (minimum: number, maximum: number, description: string) =>
  Type.Optional(Type.Integer({ minimum, maximum, description }));

/** Which bank, and how we prove who we are. */
const access = {
  PIX_PSP: Type.Union(
    psps.map((psp) => Type.Literal(psp)),
    { default: 'bacen', description: 'The bank; `bacen` is one that keeps to the Central Bank’s text' },
  ),
  PIX_URL: Type.Optional(
    Type.String({
      pattern: '^https?://[^\\s?#]+$',
      description: "Base address of the bank's API Pix; without it the bank's own, where one is known",
    }),
  ),
  PIX_TOKEN_URL: Type.Optional(
    Type.String({
      pattern: '^https?://',
      description: "Where tokens come from, if not where the bank's are known to",
    }),
  ),
  PIX_ALLOW_HTTP: Type.String({
    pattern: '^(true|false)$',
    default: 'false',
    description:
      '`true` lets `PIX_URL` and `PIX_TOKEN_URL` be plain http beyond this machine: for a simulated bank only',
  }),
  PIX_CLIENT_ID: Type.String({ minLength: 1, description: "The bank's OAuth2 client id" }),
  PIX_CLIENT_SECRET: text("The bank's OAuth2 client secret; required where the bank has one"),
  PIX_APP_KEY: text("The application's key of the developers' portal (Banco do Brasil)"),
  PIX_ACCOUNT: text('The account, where an application has several (Inter)'),
  PIX_KEY: Type.String({ minLength: 1, maxLength: 77, description: 'The Pix key (chave) that receives' }),
  PIX_CERT_FILE: text('Client certificate for mTLS with the bank, PEM'),
  PIX_KEY_FILE: text("The certificate's key, PEM"),
  PIX_P12_FILE: text('Both together as PKCS #12 (`.p12`, `.pfx`), as banks hand them out'),
  PIX_P12_PASSWORD: text('The password of `PIX_P12_FILE`, where it has one'),
  PIX_CA_FILE: text("The bank's certificate authority, PEM"),
  PIX_CALLBACK_URL: Type.Optional(
    Type.String({
      pattern: '^https?://[^\\s?#]+$',
      description:
        'Where the bank reaches us, if not at `PUBLIC_URL`: a host of its own, where the bank comes with mTLS',
    }),
  ),
  PIX_MERCHANT_NAME: Type.String({
    minLength: 1,
    default: 'PAGAMENTOS',
    description: 'Name in a code that is built here because the bank sent none',
  }),
  PIX_MERCHANT_CITY: Type.String({ minLength: 1, default: 'BRASILIA', description: 'City in such a code' }),
  PIX_CALLS_PER_MINUTE: count(
    1,
    1_000_000,
    'The most calls of the bank in a minute, per process; creations go before polling. Without it what is known of the bank',
  ),
};

/** Everything about one bank. */
export const pixSettings = { ...access, ...overrideSettings };

/** Where they come from a file, the bank may also be that of test stores. */
export type PixSettings = Omit<Static<TObject<typeof pixSettings>>, 'PIX_PSP'> & { PIX_PSP: string };

/**
 * @param timeoutMs the most that one operation may take
 * @returns the settings as options of the API Pix client
 * @throws ConfigurationError that names the variable: one that this bank needs, a file that can't be used, plain http
 */
export function pixOptions(
  settings: PixSettings,
  timeoutMs: number,
): PixClientOptions & { profile: Profile } {
  const profile = overriddenProfile(profileOf(settings.PIX_PSP), settings);
  const url = settings.PIX_URL ?? profile.production?.url;
  if (!url) throw new ConfigurationError('PIX_URL is required');
  const { PIX_TOKEN_URL: tokenUrl } = settings;
  if (settings.PIX_ALLOW_HTTP !== 'true') {
    refusePlainHttp('PIX_URL', url);
    if (tokenUrl) refusePlainHttp('PIX_TOKEN_URL', tokenUrl);
  }
  refuseMissing(settings, profile, url);
  return {
    profile,
    url,
    timeoutMs,
    clientId: settings.PIX_CLIENT_ID,
    key: settings.PIX_KEY,
    merchantName: settings.PIX_MERCHANT_NAME,
    merchantCity: settings.PIX_MERCHANT_CITY,
    tls: tlsFiles(settings),
    ...given({
      tokenUrl,
      clientSecret: settings.PIX_CLIENT_SECRET,
      appKey: settings.PIX_APP_KEY,
      account: settings.PIX_ACCOUNT,
      callsPerMinute: settings.PIX_CALLS_PER_MINUTE,
    }),
  };
}

const profileOf = (psp: string): Profile =>
  psp === testBankProfile.psp ? testBankProfile : profiles[psp as Psp];

function refuseMissing(
  settings: PixSettings,
  { needs, psp, production, sandbox }: Profile,
  url: string,
): void {
  const lacks = (variable: string) => new ConfigurationError(`${variable} is required with PIX_PSP=${psp}`);
  if (needs.includes('secret') && !settings.PIX_CLIENT_SECRET) throw lacks('PIX_CLIENT_SECRET');
  if (needs.includes('appKey') && !settings.PIX_APP_KEY) throw lacks('PIX_APP_KEY');
  // A simulated bank asks for none.
  const isTheBank = [production?.url, sandbox?.url].includes(withoutEndSlashes(url));
  const hasCertificate = settings.PIX_CERT_FILE ?? settings.PIX_P12_FILE;
  if (isTheBank && needs.includes('certificate') && !hasCertificate)
    throw lacks('PIX_P12_FILE, or PIX_CERT_FILE with PIX_KEY_FILE,');
}

type Given<Fields> = { [Name in keyof Fields]?: NonNullable<Fields[Name]> };

function given<Fields extends object>(fields: Fields): Given<Fields> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Given<Fields>;
}

/** Over plain http, anyone on the way could read secrets and report payments that were never made. */
function refusePlainHttp(variable: string, url: string): void {
  const { protocol, hostname } = new URL(url);
  if (protocol === 'https:' || isThisMachine(hostname)) return;
  throw new ConfigurationError(
    `${variable} must be https: the bank is not on this machine (PIX_ALLOW_HTTP=true is for simulated banks)`,
  );
}
