import { undocumentedMark, watchAnswers } from './watch.ts';

/** Loaded before an API process's own code: each answer that departs from the documents is a line of its output. */

const { PORT, ADMIN_PORT } = process.env;
const tell = (failure: string) => console.error(undocumentedMark + failure);
watchAnswers(Number(PORT), 'public', tell);
watchAnswers(Number(ADMIN_PORT), 'admin', tell);
