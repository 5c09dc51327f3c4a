import { parse } from 'content-disposition';

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
