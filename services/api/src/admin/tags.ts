/** What the administration's operations are about. */
export const adminTags = [
  { name: 'Overview', description: 'The figures of a start page.' },
  { name: 'Stores', description: 'Stores, and the terms of their payments.' },
  { name: 'Tokens', description: 'Stores’ access tokens: only the newest works.' },
  { name: 'Webhook secrets', description: 'What signs a store’s webhooks.' },
  { name: 'Payments', description: 'Find, read, create and move payments of any store.' },
  { name: 'Refunds', description: 'Money that is to go back, and has not.' },
  { name: 'Deliveries', description: 'Webhooks, their attempts, and receivers that fail.' },
  { name: 'Changes', description: 'What administrators changed: who, when, from, to and why.' },
  { name: 'Health', description: 'For orchestrators and monitors. They need no key.' },
];
