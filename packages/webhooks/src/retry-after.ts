const SECONDS = /^\d+$/;
const IMF_FIXDATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
const RFC_850 = /^[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/;
const ASCTIME = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/;

/**
 * Parses a `Retry-After` header (RFC 9110 §10.2.3): a number of seconds, or an HTTP date in any of its three forms.
 * @returns seconds from `now`, 0 for a past date, `null` for neither form. It can be huge: the caller limits it
 */
export function parseRetryAfter(value: string, now: Date): number | null {
  const text = value.trim();
  if (SECONDS.test(text)) return Number(text);
  const date = parseHttpDate(text);
  return date === null ? null : Math.max(0, (date - now.getTime()) / 1000);
}

function parseHttpDate(text: string): number | null {
  // Date.parse accepts far more than HTTP dates, and reads asctime, which is UTC, as local time.
  const utc = ASCTIME.test(text) ? `${text} GMT` : text;
  if (utc === text && !IMF_FIXDATE.test(text) && !RFC_850.test(text)) return null;
  const time = Date.parse(utc);
  return Number.isNaN(time) ? null : time;
}
