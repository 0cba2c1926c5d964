/** The settings of every side. */
export const port = Number(process.env.PORT);
export const databaseUrl = process.env.DATABASE_URL ?? '';
/** The token of the only store. */
export const storeToken = process.env.TOKEN ?? '';

/** The service's default number of PostgreSQL connections. */
export const poolSize = 10;
