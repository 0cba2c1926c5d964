import { ConfigurationError } from '@payments/runtime/environment';
import type { PixSettings } from '../settings.ts';
import { type Profile, standardPaths } from './profile.ts';

/** @returns a bank's profile, with the fields that settings replace */
export function overriddenProfile(profile: Profile, settings: PixSettings): Profile {
  const {
    PIX_TOKEN_CREDENTIALS: credentials,
    PIX_TOKEN_FORMAT: tokenFormat,
    PIX_TOKEN_GRANT: grantIn,
    PIX_LIST_DAYS: listDays,
    PIX_LIST_PAGE_SIZE: pageSize,
    PIX_LIST_LAG_SECONDS: listLagSeconds,
    PIX_LIST_LACKS_TXID: listLacksTxid,
    PIX_CODE_LOCATION_DIFFERS: codeLocationDiffers,
  } = settings;
  const said: { [Name in keyof Profile]?: Profile[Name] | undefined } = {
    credentials: credentials as Profile['credentials'] | undefined,
    tokenFormat: tokenFormat as Profile['tokenFormat'] | undefined,
    grantIn: grantIn as Profile['grantIn'] | undefined,
    scopes: words(settings.PIX_SCOPES, /[\s,]+/),
    headers: named(settings.PIX_HEADERS),
    query: named(settings.PIX_QUERY),
    paths: pathsOf(settings.PIX_PATHS),
    missing: words(settings.PIX_MISSING, /,/),
    denied: words(settings.PIX_DENIED, /,/),
    nothing: words(settings.PIX_NOTHING, /,/),
    codeFields: words(settings.PIX_CODE_FIELDS, /[\s,]+/),
    codeLocationDiffers: flag(codeLocationDiffers),
    listDays,
    pageSize,
    listLagSeconds,
    listLacksTxid: flag(listLacksTxid),
    callbackHeaders: named(settings.PIX_CALLBACK_HEADERS),
  };
  const replaced = Object.entries(said).filter(([, value]) => value !== undefined);
  return { ...profile, ...Object.fromEntries(replaced) };
}

function flag(said: string | undefined): boolean | undefined {
  return said === undefined ? undefined : said === 'true';
}

function words(list: string | undefined, separator: RegExp): string[] | undefined {
  if (list === undefined) return undefined;
  return list === 'none' ? [] : list.split(separator).filter(Boolean);
}

function named(list: string | undefined): Record<string, string> | undefined {
  const pairs = words(list, /,/)?.map((pair) => {
    const end = pair.indexOf('=');
    return [pair.slice(0, end), pair.slice(end + 1)];
  });
  return pairs && Object.fromEntries(pairs);
}

function pathsOf(list: string | undefined): Profile['paths'] | undefined {
  const paths = named(list);
  const unknown = Object.keys(paths ?? {}).find((name) => !(name in standardPaths));
  if (unknown) throw new ConfigurationError(`PIX_PATHS has no ${unknown}`);
  return paths;
}
