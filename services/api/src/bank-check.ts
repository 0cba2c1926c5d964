/** The image's command `dist/bank-check.js`: proves the connection to the bank that the settings name. */
import '@payments/bank-check/main';
