import { undocumentedMark, watchAnswers } from './watch.ts';

/** Loaded before an API process's code: prints a line for each response that departs from the documents. */

const { PORT, ADMIN_PORT } = process.env;
const tell = (failure: string) => console.error(undocumentedMark + failure);
watchAnswers(Number(PORT), 'public', tell);
watchAnswers(Number(ADMIN_PORT), 'admin', tell);
