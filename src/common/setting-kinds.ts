import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import { addressIn } from './mail-address.js';
import { readUrl } from '../../packages/safe-http/read-url.js';

/** A kind of setting: a description of its values, and a parser. An invalid value is parsed to undefined. */
export interface SettingKind<T> {
  readonly wanted: string;
  readonly parse: (text: string) => T | undefined;
}

const kind = <T>(wanted: string, parse: (text: string) => T | undefined): SettingKind<T> => ({ wanted, parse }); // prettier-ignore

export const anyText = (wanted: string): SettingKind<string> => kind(wanted, (value) => value);
export const wholeNumber = (wanted: string, least: number, most: number): SettingKind<number> =>
  kind(wanted, (value) => numberIn(value, least, most));
export const choiceOf = <Name extends string>(...names: readonly Name[]): SettingKind<Name> =>
  kind(`one of ${names.join(', ')}`, (value) => names.find((name) => name === value));

function numberIn(value: string, least: number, most: number): number | undefined {
  const number = /^\d{1,15}$/.test(value) ? Number(value) : NaN;
  return number >= least && number <= most ? number : undefined;
}

export const port = wholeNumber('a port', 0, 65_535);
export const onOrOff = kind('on or off', (value) => ({ on: true, off: false })[value]);
export const flag = kind('1 or 0', (value) => ({ '1': true, true: true, '0': false, false: false })[value]);
export const oneLine = kind('one line of 1 to 100 characters', lineOf);

function lineOf(value: string): string | undefined {
  return /^[^\p{Cc}]{1,100}$/u.test(value) ? value : undefined;
}

const MAX_PROCESSES = 256;
/** A number of processes; `auto` means one per available processor. */
export const processCount = kind(`auto, or a number from 1 to ${MAX_PROCESSES}`, (value) =>
  value === 'auto' ? Math.min(availableParallelism(), MAX_PROCESSES) : numberIn(value, 1, MAX_PROCESSES),
);

export const host = kind('an address or a host name', (value) =>
  isIP(value) > 0 || /^[a-z\d]([a-z\d.-]*[a-z\d])?$/i.test(value) ? value : undefined,
);

export const httpUrl = kind('an http(s) URL', httpUrlOf);

function httpUrlOf(value: string): string | undefined {
  return urlOf(value, 'http:', 'https:');
}

function urlOf(value: string, ...protocols: string[]): string | undefined {
  const isSpelt = !/%(?![\da-f]{2})/i.test(value);
  return isSpelt && protocols.includes(readUrl(value)?.protocol ?? '') ? value : undefined;
}

export const taskUrl = kind('an http(s) URL with {task} in it', (value) =>
  value.includes('{task}') ? httpUrlOf(value) : undefined,
);

/** The URL of an identity provider. Because its answers are trusted, only localhost may be without TLS. */
export const issuer = kind('an https URL, or http of localhost, without ? and #', (value) => {
  const { protocol, hostname, username, search, hash } = new URL(httpUrlOf(value) ?? 'http://none.invalid');
  const isSafe = protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  return isSafe && username + search + hash === '' ? value : undefined;
});

const encoded = 'with @ / : ? # % in its password written as %40 %2F %3A %3F %23 %25';

export const postgresUrl = kind(`a postgres:// URL, ${encoded}`, (value) =>
  serverUrl(value, 'postgres:', 'postgresql:'),
);
export const redisUrl = kind(`a redis:// URL, ${encoded}`, (value) => serverUrl(value, 'redis:', 'rediss:'));

export const smtpUrl = kind(`an smtp:// or smtps:// URL, ${encoded}, or file: and a folder`, (value) => {
  if (value.startsWith('file:')) return /^file:(?:\/\/)?[^?#]+$/.test(value) ? value : undefined;
  const valid = serverUrl(value, 'smtp:', 'smtps:');
  const { hostname, pathname, search } = new URL(valid ?? 'smtp://none');
  const isPlain = ['', '/'].includes(pathname) && ['', '?tls=required'].includes(search);
  return hostname !== '' && isPlain ? valid : undefined;
});

/** The URL of a server, with at most one path segment. Rejects a URL that may have an unencoded password. */
function serverUrl(value: string, ...protocols: string[]): string | undefined {
  const valid = urlOf(value, ...protocols);
  if (valid === undefined) return undefined;
  const { pathname, search, hash } = new URL(valid);
  const isPartOfPassword =
    hash !== '' || /^.+[@/]/.test(pathname) || (pathname === '' && search.includes('@'));
  return isPartOfPassword ? undefined : valid;
}

export const mailAddress = kind('one address such as "Acme, Inc." <wts@acme.test>', (value) =>
  lineOf(value) !== undefined && addressIn(value) !== undefined ? value : undefined,
);

export const blobPlace = kind('a folder or s3://bucket/prefix', (value) =>
  !value.includes('://') || /^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](\/[\w./-]*)?$/.test(value)
    ? value
    : undefined,
);

/** Networks or single addresses. Rejects a network that contains all addresses, such as 0.0.0.0/0. */
export const networks = kind('networks such as 10.1.0.0/16, or addresses such as 127.0.0.1', (value) => {
  const items = value.split(',');
  const valid = items.flatMap((item) => networkOf(item.trim()) ?? []);
  return valid.length === items.length ? valid : undefined;
});

function networkOf(item: string): string | undefined {
  const [address = '', bits, ...rest] = item.split('/');
  const family = isIP(address);
  const most = family === 4 ? 32 : 128;
  const length = bits === undefined ? most : numberIn(bits, 1, most);
  return family > 0 && rest.length === 0 && length !== undefined ? `${address}/${length}` : undefined;
}
