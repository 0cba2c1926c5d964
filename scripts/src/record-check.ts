/** `npm run record:check`: verifies the record of changes in the database of DATABASE_URL. */
import '@payments/api/record-check';
