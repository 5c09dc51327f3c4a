import { create } from 'content-disposition';
import { essenceOf } from '../schema/media-type.js';

/** A file as a download shows it. */
export interface DownloadedFile {
  readonly contentType: string;
  readonly filename: string;
  /** Bytes. */
  readonly size: number;
  readonly sha256hex: string;
}

/** The headers of a file's whole answer: it is saved, and never becomes a page of ours. */
export function downloadHeaders(file: DownloadedFile): Record<string, string> {
  return {
    'Content-Type': harmless.get(essenceOf(file.contentType)) ?? 'application/octet-stream',
    'Content-Length': `${file.size}`,
    'Content-Disposition': disposition(file.filename),
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': "default-src 'none'; sandbox",
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'private, no-store',
    'Accept-Ranges': 'bytes',
    ETag: entityTag(file.sha256hex),
  };
}

/** The strong entity tag of bytes. */
export function entityTag(sha256hex: string): string {
  return `"${sha256hex}"`;
}

/** What a browser may learn of a type, and how it is told. */
const harmless = new Map([
  ['image/png', 'image/png'],
  ['image/jpeg', 'image/jpeg'],
  ['image/gif', 'image/gif'],
  ['image/webp', 'image/webp'],
  ['application/pdf', 'application/pdf'],
  ['text/plain', 'text/plain; charset=utf-8'],
]);

/** RFC 6266 and 8187; a name of at most 255 bytes is whole, as all stored names are. */
function disposition(filename: string): string {
  return create(filename.slice(0, 255).toWellFormed());
}
