import { storeChangesPage } from './changes.route.ts';
import { storeListPages } from './list.routes.ts';
import { storeProfilePages } from './profile.routes.ts';
import { statementPages } from './statement.routes.ts';
import { storeTabPages } from './store-tab.routes.ts';
import { testEventRoute } from './test-event.route.ts';

/** The pages of stores. */
export const storePages = [
  storeListPages,
  storeProfilePages,
  storeTabPages,
  statementPages,
  storeChangesPage,
  testEventRoute,
];
