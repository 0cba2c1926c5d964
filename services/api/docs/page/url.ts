/** Values of a request's parameters by name. */
export type Values = { inPath: Record<string, string>; inQuery: Record<string, string> };

/** @returns the path with its parameters filled in, and the query; a parameter without a value stays a placeholder */
export function urlOf(path: string, { inPath, inQuery }: Values): string {
  const filled = path.replace(/\{(\w+)\}/g, (place, name: string) =>
    inPath[name] ? encodeURIComponent(inPath[name]) : place,
  );
  const query = new URLSearchParams(Object.entries(inQuery).filter(([, value]) => value !== ''));
  return query.size > 0 ? `${filled}?${query}` : filled;
}
