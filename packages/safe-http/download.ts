import { type Readable } from 'node:stream';
import { parse } from 'content-disposition';
import { boundedBody, tooLarge, type HttpAnswer, type Outbound } from './client.js';
import { failureOf, OutboundFailure } from './failure.js';
import { parseUrl } from './address-policy.js';

export interface DownloadLimits {
  /** The workspace for which it is made. */
  readonly workspaceId: number;
  /** Ends the download, the body too. */
  readonly signal: AbortSignal;
  readonly maxBytes: number;
}

export interface Download {
  /** As the server says: it may not be a media type. */
  readonly contentType: string | undefined;
  readonly filename: string | undefined;
  /** Must be read or destroyed; fails with an `OutboundFailure`, also where less came than was announced. */
  readonly body: Readable;
}

/** What a URL holds, after 5 redirects at most. Throws an `OutboundFailure` that reads `could not be downloaded: …`. */
export async function download(outbound: Outbound, url: string, limits: DownloadLimits): Promise<Download> {
  const failure = (error: unknown): OutboundFailure => worded(failureOf(error, limits.signal, 'incomplete'));
  try {
    const { answer, from } = await follow(outbound, parseUrl(url), limits);
    const announced = accept(answer, limits.maxBytes);
    return {
      contentType: answer.headers.get('content-type'),
      filename: filenameOf(answer.headers.get('content-disposition'), from),
      body: boundedBody(answer.body, { maxBytes: limits.maxBytes, announced }, failure),
    };
  } catch (error) {
    throw failure(error);
  }
}

interface Hop {
  readonly answer: HttpAnswer;
  readonly from: URL;
}

async function follow(outbound: Outbound, url: URL, limits: DownloadLimits, redirects = 5): Promise<Hop> {
  const answer = await outbound.request(url, limits);
  const location = isRedirect(answer.status) ? answer.headers.get('location') : undefined;
  if (location === undefined) return { answer, from: url };
  answer.body.destroy();
  if (redirects === 0) throw new OutboundFailure('too many redirects');
  const next = parseUrl(location, url);
  if (url.protocol === 'https:' && next.protocol === 'http:')
    throw new OutboundFailure('redirect not allowed');
  return follow(outbound, next, limits, redirects - 1);
}

const isRedirect = (status: number): boolean => [301, 302, 303, 307, 308].includes(status);

/** The length that the answer announces. */
function accept({ status, headers, body }: HttpAnswer, maxBytes: number): number | undefined {
  const length = headers.get('content-length');
  const announced = length === undefined ? undefined : Number(length);
  const fault =
    status !== 200
      ? new OutboundFailure('unexpected status', `the server answered ${status}`)
      : (announced ?? 0) > maxBytes
        ? tooLarge(maxBytes)
        : undefined;
  if (fault === undefined) return announced;
  body.destroy();
  throw fault;
}

function worded({ reason, message }: OutboundFailure): OutboundFailure {
  return new OutboundFailure(reason, `could not be downloaded: ${message}`);
}

/** The bare name of a downloaded file: as the server says, or else as the URL ends. */
export function filenameOf(disposition: string | undefined, url: URL): string | undefined {
  return bareName(announcedName(disposition)) ?? bareName(lastSegment(url));
}

/** The name without folders and control characters, at most 255 bytes of well-formed Unicode. */
export function bareName(text: string): string | undefined {
  const name = cut(
    text
      .toWellFormed()
      .replaceAll(/\p{Cc}/gu, '')
      .split(/[/\\]/)
      .at(-1)
      ?.trim() ?? '',
  ).trim();
  return ['', '.', '..'].includes(name) ? undefined : name;
}

function announcedName(disposition: string | undefined): string {
  if (disposition === undefined) return '';
  return parse(fromBytes(disposition)).parameters['filename'] ?? '';
}

/** Headers are read as Latin-1; many servers send UTF-8, and no Latin-1 name looks like that by chance. */
function fromBytes(header: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(header, 'latin1'));
  } catch {
    return header;
  }
}

function lastSegment(url: URL): string {
  const segment = url.pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** As much of the text as fits, never a part of a character. */
function cut(text: string): string {
  return text.slice(0, new TextEncoder().encodeInto(text, new Uint8Array(255)).read);
}
