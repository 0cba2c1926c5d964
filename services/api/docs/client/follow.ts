import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createClient } from 'public-payments-client';

const payments = createClient({
  baseUrl: process.env.PAYMENTS_URL ?? 'http://localhost:3000',
  token: process.env.PAYMENTS_TOKEN ?? '',
});

// In your shop, the place in the feed is in the database.
const file = process.env.CURSOR_FILE ?? 'cursor';
const cursor = {
  load: () => (existsSync(file) ? readFileSync(file, 'utf8') : undefined),
  save: (place: string) => {
    // A crash leaves the place before it, and no half of one.
    writeFileSync(`${file}.new`, place);
    renameSync(`${file}.new`, file);
  },
};

// The place is kept once you have taken a whole page: after a crash, its events come again under the same ids.
for await (const { id, type, paymentId } of payments.events({ cursor, untilNow: true })) {
  console.log(`handle ${type} of payment ${paymentId}, unless ${id} is known already`);
}
