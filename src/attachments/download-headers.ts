import { create } from 'content-disposition';
import { parse } from 'content-type';

/** The facts of a file that its download shows. */
export interface DownloadedFile {
  readonly contentType: string;
  readonly filename: string;
  /** The size in bytes. */
  readonly size: number;
  readonly sha256hex: string;
}

/** The headers of a whole file. Browsers save it, and never treat it as a page of this site. */
export function downloadHeaders(file: DownloadedFile, way: WayOfFile = 'attachment'): Record<string, string> {
  const type = harmless.get(mediaTypeOf(file)) ?? 'application/octet-stream';
  return {
    'Content-Type': type,
    'Content-Length': `${file.size}`,
    'Content-Disposition': disposition(file.filename, way),
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': way === 'inline' && type === PDF ? policyOfPdf : "default-src 'none'; sandbox",
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'private, no-store',
    'Accept-Ranges': 'bytes',
    ETag: `"${file.sha256hex}"`,
  };
}

/** Whether browsers save the file, or show it in a frame without running scripts. */
export type WayOfFile = 'attachment' | 'inline';

/** The media type that the uploader gave, without parameters. */
export const mediaTypeOf = ({ contentType }: Pick<DownloadedFile, 'contentType'>): string =>
  parse(contentType).type;

/** The media type of PDF. */
export const PDF = 'application/pdf';

// PDF viewers do not run in a sandbox, and some show the file in an object with styles of its own.
const policyOfPdf =
  "default-src 'none'; object-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'self'";

/** The types that browsers may know, with the headers for them. */
const harmless = new Map([
  ['image/png', 'image/png'],
  ['image/jpeg', 'image/jpeg'],
  ['image/gif', 'image/gif'],
  ['image/webp', 'image/webp'],
  [PDF, PDF],
  ['text/plain', 'text/plain; charset=utf-8'],
]);

/** See RFC 6266 and 8187. Names of up to 255 bytes are kept whole, as all stored names are. */
function disposition(filename: string, type: WayOfFile): string {
  return create(filename.slice(0, 255).toWellFormed(), { type });
}
