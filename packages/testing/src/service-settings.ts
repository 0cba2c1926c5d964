/** The services' credentials at the simulated bank. */
export const bankClient = {
  PIX_CLIENT_ID: 'client',
  PIX_CLIENT_SECRET: 'secret',
  PIX_KEY: 'pix@example.com',
};

/** The same credentials as options of the simulator. */
export const bankOptions = { clientId: 'client', clientSecret: 'secret', key: 'pix@example.com' };

export const adminKey = 'test-admin-key';

export type Surroundings = { databaseUrl: string; natsUrl: string; bankUrl: string; publicUrl: string };

/** The settings of both services for a system on loopback. */
export function serviceSettings({ databaseUrl, natsUrl, bankUrl, publicUrl }: Surroundings) {
  return {
    ...bankClient,
    HOST: '127.0.0.1',
    PUBLIC_URL: publicUrl,
    ADMIN_KEY: adminKey,
    SECRETS_KEY: 'test-secrets-key-with-32-letters',
    DATABASE_URL: databaseUrl,
    NATS_URL: natsUrl,
    PIX_URL: bankUrl,
    RATE_LIMIT_PER_MINUTE: '0',
    WEBHOOK_ALLOW_PRIVATE: '127.0.0.0/8,::1/128',
  };
}
