/** @returns whether this process is in production: as `NODE_ENV` says, and without it by an https `PUBLIC_URL` */
export function isProduction({ PUBLIC_URL }: { PUBLIC_URL: string }): boolean {
  const { NODE_ENV = PUBLIC_URL.startsWith('https:') ? 'production' : 'development' } = process.env;
  return NODE_ENV === 'production';
}
