/** The settings that name the PSP, as either service has them. */
type PixSettings = {
  PIX_URL: string;
  PIX_CLIENT_ID: string;
  PIX_CLIENT_SECRET: string;
  PIX_TOKEN_URL?: string;
  PIX_KEY: string;
  PIX_MERCHANT_NAME: string;
  PIX_MERCHANT_CITY: string;
  PIX_CERT_FILE?: string;
  PIX_KEY_FILE?: string;
  PIX_CA_FILE?: string;
};

/**
 * @param timeoutMs the most that one operation may take
 * @returns the same as options of the API Pix client
 */
export function pixOptions(settings: PixSettings, timeoutMs: number) {
  const {
    PIX_CERT_FILE: certFile,
    PIX_KEY_FILE: keyFile,
    PIX_CA_FILE: caFile,
    PIX_TOKEN_URL: tokenUrl,
  } = settings;
  return {
    url: settings.PIX_URL,
    ...(tokenUrl ? { tokenUrl } : {}),
    timeoutMs,
    clientId: settings.PIX_CLIENT_ID,
    clientSecret: settings.PIX_CLIENT_SECRET,
    key: settings.PIX_KEY,
    merchantName: settings.PIX_MERCHANT_NAME,
    merchantCity: settings.PIX_MERCHANT_CITY,
    tls: {
      ...(certFile ? { certFile } : {}),
      ...(keyFile ? { keyFile } : {}),
      ...(caFile ? { caFile } : {}),
    },
  };
}
