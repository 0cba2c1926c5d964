import { ConfigurationError } from '@payments/runtime/environment';
import { type Psp, profiles } from './profiles/all.ts';
import { overriddenProfile } from './profiles/overrides.ts';
import type { Profile } from './profiles/profile.ts';
import type { PixSettings } from './settings.ts';
import { tlsFiles } from './tls-settings.ts';
import type { PixClientOptions } from './types.ts';

/**
 * @param timeoutMs the most that one operation may take
 * @returns the settings as options of the API Pix client
 * @throws ConfigurationError that names the variable: one that this bank needs, a file that can't be used, plain http
 */
export function pixOptions(settings: PixSettings, timeoutMs: number): PixClientOptions {
  const profile = overriddenProfile(profiles[settings.PIX_PSP as Psp], settings);
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

function refuseMissing(
  settings: PixSettings,
  { needs, psp, production, sandbox }: Profile,
  url: string,
): void {
  const lacks = (variable: string) => new ConfigurationError(`${variable} is required with PIX_PSP=${psp}`);
  if (needs.includes('secret') && !settings.PIX_CLIENT_SECRET) throw lacks('PIX_CLIENT_SECRET');
  if (needs.includes('appKey') && !settings.PIX_APP_KEY) throw lacks('PIX_APP_KEY');
  // A simulated bank asks for none.
  const isTheBank = [production?.url, sandbox?.url].includes(url.replace(/\/+$/, ''));
  const hasCertificate = settings.PIX_CERT_FILE ?? settings.PIX_P12_FILE;
  if (isTheBank && needs.includes('certificate') && !hasCertificate)
    throw lacks('PIX_P12_FILE, or PIX_CERT_FILE with PIX_KEY_FILE,');
}

type Given<Fields> = { [Name in keyof Fields]?: NonNullable<Fields[Name]> };

function given<Fields extends object>(fields: Fields): Given<Fields> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Given<Fields>;
}

// As the URL parser writes them, whatever way they were given.
const thisMachine = /^((.+\.)?localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Secrets, tokens and what approves payments go this way: in clear text anyone between could say that it was paid. */
function refusePlainHttp(variable: string, url: string): void {
  const { protocol, hostname } = new URL(url);
  if (protocol === 'https:' || thisMachine.test(hostname)) return;
  throw new ConfigurationError(
    `${variable} must be https: the bank is not on this machine (PIX_ALLOW_HTTP=true is for simulated banks)`,
  );
}
