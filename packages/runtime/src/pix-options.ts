import { type TlsSettings, tlsFiles } from './tls-settings.ts';

/** The settings that name the PSP, as either service has them. */
type PixSettings = TlsSettings & {
  PIX_URL: string;
  PIX_CLIENT_ID: string;
  PIX_CLIENT_SECRET: string;
  PIX_TOKEN_URL?: string;
  PIX_KEY: string;
  PIX_MERCHANT_NAME: string;
  PIX_MERCHANT_CITY: string;
};

/**
 * @param timeoutMs the most that one operation may take
 * @returns the same as options of the API Pix client
 * @throws ConfigurationError that names the variable, for a file of mTLS that can't be used
 */
export function pixOptions(settings: PixSettings, timeoutMs: number) {
  const { PIX_TOKEN_URL: tokenUrl } = settings;
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
