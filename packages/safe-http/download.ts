import { type Readable } from 'node:stream';
import { parse } from 'content-disposition';
import { parseUrl } from './address-policy.js';
import { type HttpAnswer, tooLarge } from './bounded-answer.js';
import { type Outbound } from './client.js';
import { OutboundFailure } from './failure.js';

export interface DownloadLimits {
  readonly workspaceId: number;
  readonly signal: AbortSignal;
  readonly maxBytes: number;
}

export interface Download {
  /** The `Content-Type` of the server, even if the text is not a media type. */
  readonly contentType: string | undefined;
  readonly filename: string | undefined;
  /** The body, which must be read or destroyed. A body that ends early fails with an `OutboundFailure`. */
  readonly body: Readable;
}

/** Downloads a URL, and follows up to `redirects` redirects. Throws an `OutboundFailure`. */
export async function download(
  outbound: Outbound,
  url: string | URL,
  limits: DownloadLimits,
  redirects = 5,
): Promise<Download> {
  const from = parseUrl(url);
  const { status, headers, body } = await outbound.request(from, limits);
  const location = headers.get('location');
  if (isRedirect(status) && location !== undefined) {
    body.destroy();
    if (redirects === 0) throw new OutboundFailure('too many redirects');
    return download(outbound, parseUrl(location, from), limits, redirects - 1);
  }
  const fault = faultOf(status, headers, limits.maxBytes);
  if (fault) {
    body.destroy();
    throw fault;
  }
  const filename = filenameOf(headers.get('content-disposition'), from);
  return { contentType: headers.get('content-type'), filename, body };
}

const isRedirect = (status: number): boolean => [301, 302, 303, 307, 308].includes(status);

function faultOf(
  status: number,
  headers: HttpAnswer['headers'],
  maxBytes: number,
): OutboundFailure | undefined {
  if (status !== 200) return new OutboundFailure('unexpected status', `the server answered ${status}`);
  return Number(headers.get('content-length') ?? 0) > maxBytes ? tooLarge(maxBytes) : undefined;
}

/** The file's name without folders, from the server's header, or otherwise from the end of the URL. */
export function filenameOf(disposition: string | undefined, url: URL): string | undefined {
  return bareName(announcedName(disposition)) ?? bareName(lastSegment(url));
}

/** The name without folders and control characters, in at most 255 bytes of well-formed Unicode. */
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

/** Decodes a header as UTF-8 if possible. Node.js reads headers as Latin-1, but many servers send UTF-8. */
function fromBytes(header: string): string {
  const text = Buffer.from(header, 'latin1').toString();
  return text.includes('\ufffd') ? header : text;
}

function lastSegment(url: URL): string {
  const segment = url.pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Cuts a text at 255 bytes of UTF-8, without splitting a character. */
function cut(text: string): string {
  return text.slice(0, new TextEncoder().encodeInto(text, new Uint8Array(255)).read);
}
