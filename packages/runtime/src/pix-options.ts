import { ConfigurationError } from './environment.ts';
import { type TlsSettings, tlsFiles } from './tls-settings.ts';

/** The settings that name the PSP, as either service has them. */
type PixSettings = TlsSettings & {
  PIX_URL: string;
  PIX_CLIENT_ID: string;
  PIX_CLIENT_SECRET: string;
  PIX_TOKEN_URL?: string;
  PIX_ALLOW_HTTP: string;
  PIX_KEY: string;
  PIX_MERCHANT_NAME: string;
  PIX_MERCHANT_CITY: string;
};

/**
 * @param timeoutMs the most that one operation may take
 * @returns the same as options of the API Pix client
 * @throws ConfigurationError that names the variable, for a file of mTLS that can't be used, or plain http
 */
export function pixOptions(settings: PixSettings, timeoutMs: number) {
  const { PIX_TOKEN_URL: tokenUrl } = settings;
  if (settings.PIX_ALLOW_HTTP !== 'true') {
    refusePlainHttp('PIX_URL', settings.PIX_URL);
    if (tokenUrl) refusePlainHttp('PIX_TOKEN_URL', tokenUrl);
  }
  return {
    url: settings.PIX_URL,
    ...(tokenUrl ? { tokenUrl } : {}),
    timeoutMs,
    clientId: settings.PIX_CLIENT_ID,
    clientSecret: settings.PIX_CLIENT_SECRET,
    key: settings.PIX_KEY,
    merchantName: settings.PIX_MERCHANT_NAME,
    merchantCity: settings.PIX_MERCHANT_CITY,
    tls: tlsFiles(settings),
  };
}

// As the URL parser writes them, whatever way they were given.
const thisMachine = /^((.+\.)?localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Secrets, tokens and what is approved by the answers go this way: in clear text anyone between could say it was paid. */
function refusePlainHttp(variable: string, url: string): void {
  const { protocol, hostname } = new URL(url);
  if (protocol === 'https:' || thisMachine.test(hostname)) return;
  throw new ConfigurationError(
    `${variable} must be https: the bank is not on this machine (PIX_ALLOW_HTTP=true is for simulated banks)`,
  );
}
