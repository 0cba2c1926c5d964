/** The images of tests with a container engine: those that deploy/ pins. */
export const images = {
  postgres: 'postgres:18-alpine',
  nats: 'nats:2-alpine',
} as const;
