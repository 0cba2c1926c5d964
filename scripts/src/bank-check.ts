/** `npm run bank:check`: proves the connection to the bank that the settings name. */
import '@payments/bank-check/main';
