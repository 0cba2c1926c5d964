/** What tests run against where there is a container engine: the images that deploy/ pins. */
export const images = {
  postgres: 'postgres:18-alpine',
  nats: 'nats:2-alpine',
} as const;
