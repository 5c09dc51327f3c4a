import { type Readable } from 'node:stream';
import { parse } from 'content-disposition';
import { boundedBody, tooLarge, type HttpAnswer, type Outbound } from './client.js';
import { failureOf, OutboundFailure } from './failure.js';
import { parseUrl } from './address-policy.js';

export interface DownloadLimits {
  /** The workspace on whose behalf it is made. */
  readonly workspaceId: number;
  /** Aborts the download, including its body. */
  readonly signal: AbortSignal;
  readonly maxBytes: number;
}

export interface Download {
  /** As the server gives it, which may be no media type. */
  readonly contentType: string | undefined;
  readonly filename: string | undefined;
  /** Must be read or destroyed; fails with an `OutboundFailure`, also if it is shorter than announced. */
  readonly body: Readable;
}

/**
 * Downloads a URL, following at most 5 redirects. Throws an `OutboundFailure` that reads `could not be downloaded:
 * …`.
 */
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

/** Checks the answer and returns its announced length. */
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

/** The bare name of a downloaded file: from the server, or otherwise from the end of the URL. */
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

/** Node.js reads headers as Latin-1. Many servers send UTF-8, which no Latin-1 name resembles by chance. */
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

/** As much of the text as fits, without splitting a character. */
function cut(text: string): string {
  return text.slice(0, new TextEncoder().encodeInto(text, new Uint8Array(255)).read);
}
