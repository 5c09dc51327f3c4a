import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import { addressIn } from './mail-address.js';
import { readUrl } from '../../packages/safe-http/read-url.js';

// Parsers for the texts of settings; undefined means an invalid text.

export function wholeNumber(least: number, most: number): (text: string) => number | undefined {
  return (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
    return value >= least && value <= most ? value : undefined;
  };
}

/** A number of processes; `auto` means one per available processor. */
export const processCount = (text: string): number | undefined =>
  text === 'auto' ? Math.min(availableParallelism(), MAX_PROCESSES) : wholeNumber(1, MAX_PROCESSES)(text);
const MAX_PROCESSES = 256;

function url(text: string, ...protocols: string[]): string | undefined {
  const isSpelt = !/%(?![\da-f]{2})/i.test(text);
  return isSpelt && protocols.includes(readUrl(text)?.protocol ?? '') ? text : undefined;
}

export function host(text: string): string | undefined {
  return isIP(text) > 0 || /^[a-z\d]([a-z\d.-]*[a-z\d])?$/i.test(text) ? text : undefined;
}

export const httpUrl = (text: string): string | undefined => url(text, 'http:', 'https:');

/** The address of an identity provider: its answers are trusted, so it needs TLS unless it runs on this machine. */
export function issuer(text: string): string | undefined {
  const { protocol, hostname, username, search, hash } = new URL(httpUrl(text) ?? 'http://none.invalid');
  const isSafe = protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  return isSafe && username + search + hash === '' ? text : undefined;
}

export const taskUrl = (text: string): string | undefined =>
  text.includes('{task}') ? httpUrl(text) : undefined;
export const postgresUrl = (text: string): string | undefined => serverUrl(text, 'postgres:', 'postgresql:');
export const redisUrl = (text: string): string | undefined => serverUrl(text, 'redis:', 'rediss:');

/** The address of a mail server or of an outbox folder. */
export function smtpUrl(text: string): string | undefined {
  if (text.startsWith('file:')) return /^file:(?:\/\/)?[^?#]+$/.test(text) ? text : undefined;
  const valid = serverUrl(text, 'smtp:', 'smtps:');
  const { hostname, pathname, search } = new URL(valid ?? 'smtp://none');
  const isPlain = ['', '/'].includes(pathname) && ['', '?tls=required'].includes(search);
  return hostname !== '' && isPlain ? valid : undefined;
}

export const mailAddress = (text: string): string | undefined =>
  oneLine(text) !== undefined && addressIn(text) !== undefined ? text : undefined;

/** The address of a server with one path segment; refuses a path that may be part of an unencoded password. */
function serverUrl(text: string, ...protocols: string[]): string | undefined {
  const valid = url(text, ...protocols);
  if (valid === undefined) return undefined;
  const { pathname, search, hash } = new URL(valid);
  const isPartOfPassword =
    hash !== '' || /^.+[@/]/.test(pathname) || (pathname === '' && search.includes('@'));
  return isPartOfPassword ? undefined : valid;
}
export function blobStore(text: string): string | undefined {
  return !text.includes('://') || /^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](\/[\w./-]*)?$/.test(text)
    ? text
    : undefined;
}

/** Networks or single addresses, separated by commas; none may hold every address of its family. */
export function networks(text: string): readonly string[] | undefined {
  const list = text.split(',').map((network) => asNetwork(network.trim()));
  return list.every(isNetwork) ? list : undefined;
}

function asNetwork(text: string): string {
  const bits = new Map([[4, 32], [6, 128]]).get(isIP(text)); // prettier-ignore
  return bits === undefined ? text : `${text}/${bits}`;
}

function isNetwork(text: string): boolean {
  const [address = '', bits = '', ...rest] = text.split('/');
  const family = isIP(address);
  const most = family === 4 ? 32 : 128;
  return family > 0 && rest.length === 0 && wholeNumber(1, most)(bits) !== undefined;
}

/** Origins, separated by commas, exactly as browsers send them: `*` and `null` are refused. */
export function origins(text: string): readonly string[] | undefined {
  const list = text.split(',').map((origin) => origin.trim());
  const isOrigin = (origin: string): boolean =>
    httpUrl(origin) !== undefined && new URL(origin).origin === origin;
  return list.every(isOrigin) ? list : undefined;
}

/** Numbers of seconds, separated by commas. */
export function seconds(text: string): readonly number[] | undefined {
  const list = text.split(',').map((number) => number.trim());
  const areSpans = list.every((number) => /^\d{1,6}(\.\d{1,3})?$/.test(number) && Number(number) <= 604_800);
  return areSpans && list.length <= 50 ? list.map(Number) : undefined;
}

/** A time of day such as 08:00, as milliseconds since midnight. */
export function clockTime(text: string): number | undefined {
  const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  return hours === undefined ? undefined : (Number(hours) * 60 + Number(minutes)) * 60_000;
}

const flags = new Map([['1', true], ['true', true], ['0', false], ['false', false]]); // prettier-ignore
export const flagSetting = (text: string): boolean | undefined => flags.get(text);
export function oneLine(text: string): string | undefined {
  return /^[^\p{Cc}]{1,100}$/u.test(text) ? text : undefined;
}

/** The address for traces, as OpenTelemetry's own variables give it; undefined if there is none. */
export function tracesUrlOf(
  environment: Readonly<Record<string, string | undefined>>,
  ofTraces: string | undefined,
  ofAll: string | undefined,
): string | undefined {
  if (environment['OTEL_SDK_DISABLED'] === 'true' || environment['OTEL_TRACES_EXPORTER'] === 'none')
    return undefined;
  return ofTraces ?? (ofAll && `${ofAll.replace(/\/$/, '')}/v1/traces`);
}
