/** Groups of the admin API's operations. */
export const adminTags = [
  { name: 'Overview', description: 'Counts of what waits, and for whom.' },
  { name: 'Stores', description: 'Stores and the terms of their payments.' },
  { name: 'Tokens', description: 'Stores’ access tokens. Only the newest works.' },
  { name: 'Webhook secrets', description: 'The secrets that sign a store’s webhooks.' },
  { name: 'Banks', description: 'The banks that take charges, their state, and their pause.' },
  { name: 'Payments', description: 'Find, read and create payments of any store, and change their status.' },
  { name: 'Totals', description: 'Sums by day, store and status, and each store’s statement.' },
  { name: 'Refunds', description: 'Refunds of payments and of unmatched Pix.' },
  { name: 'Reconciliation', description: 'A bank’s days beside ours (conciliação).' },
  { name: 'Deliveries', description: 'Webhook deliveries, their attempts, and failing receivers.' },
  { name: 'Notices', description: 'Mails to people, and posts to the platform’s webhook.' },
  { name: 'Accounts', description: 'People’s accounts at the panel, each with a role.' },
  { name: 'Keys', description: 'Keys of programs, each with a role.' },
  { name: 'Personal data', description: 'What is known of a person, and its erasure.' },
  { name: 'Changes', description: 'The record: who did what, and when.' },
  { name: 'Health', description: 'For orchestrators and monitors. No key needed.' },
];
