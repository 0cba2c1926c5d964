const browsers: [RegExp, string][] = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/SamsungBrowser\//, 'Samsung Internet'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/Chrome\/|CriOS\//, 'Chrome'],
  [/Safari\//, 'Safari'],
];
const systems: [RegExp, string][] = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Mac OS X|Macintosh/, 'macOS'],
  [/Linux/, 'Linux'],
];

/** @returns a browser in words, for the person whose session it is: `Chrome, Windows` */
export function browserName(userAgent: string | null): string {
  const nameIn = (names: typeof browsers) => names.find(([form]) => form.test(userAgent ?? ''))?.[1];
  const known = [nameIn(browsers), nameIn(systems)].filter(Boolean).join(', ');
  return known || userAgent?.slice(0, 40) || 'Navegador desconhecido';
}
