/** The settings that every side takes from its environment. */
export const port = Number(process.env.PORT);
export const databaseUrl = process.env.DATABASE_URL ?? '';
/** The token of the one store that there is. */
export const storeToken = process.env.TOKEN ?? '';

/** Connections to PostgreSQL, as many as the service has by default. */
export const poolSize = 10;
