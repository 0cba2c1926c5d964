import { statementPages } from '../books/statement-pages.ts';
import { storeChangesPage } from './changes-page.ts';
import { storeListPages } from './list-pages.ts';
import { storeProfilePages } from './profile-pages.ts';
import { storeTabPages } from './store-tab-pages.ts';
import { testEventRoute } from './test-event-page.ts';

/** The pages of stores. */
export const storePages = [
  storeListPages,
  storeProfilePages,
  storeTabPages,
  statementPages,
  storeChangesPage,
  testEventRoute,
];
