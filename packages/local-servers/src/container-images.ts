/** The images of tests with a container engine: those that deploy/ pins. */
export const images = {
  postgres: 'postgres:18.6-alpine',
  nats: 'nats:2.14.5-alpine',
} as const;
