import { parse } from 'content-disposition';
import { Refusal } from '../errors/errors.js';

/** What a part of a form says of the file in it. */
export interface FilePart {
  /** As the client sent it: perhaps a path. */
  readonly filename: string | undefined;
  readonly contentType: string;
}

/** Reads the headers of a part by RFC 7578, the names in UTF-8; undefined when it is a plain field. */
export function parseFilePart(headers: object): FilePart | undefined {
  const { type, parameters } = parse(textOf(headers, 'content-disposition'), { multipart: true });
  if (type !== 'form-data') throw new Refusal('malformed', 'A part of the form is not form-data.');
  const filename = parameters['filename'];
  const contentType = textOf(headers, 'content-type').trim();
  if (filename === undefined && contentType.toLowerCase() !== unnamed) return undefined;
  // It was deprecated before anybody read it: the file would be stored in its disguise.
  if (!/^(|7bit|8bit|binary)$/i.test(textOf(headers, 'content-transfer-encoding').trim()))
    throw new Refusal('malformed', 'The file must not be in a transfer encoding.');
  return { filename, contentType: contentType || unnamed };
}

/** The type of a file whose sender knew none. */
const unnamed = 'application/octet-stream';

/** The header of this name, or '' when there is none. */
function textOf(headers: object, name: string): string {
  const values: unknown = Reflect.get(headers, name) ?? [''];
  const texts: readonly unknown[] = Array.isArray(values) ? values : [];
  const [text] = texts;
  if (typeof text !== 'string' || texts.length > 1)
    throw new Refusal('malformed', `A part of the form has several ${name} headers.`);
  return utf8(text);
}

/** The parser gives one character for each byte. */
function utf8(latin1: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(latin1, 'latin1'));
  } catch {
    throw new Refusal('malformed', 'The headers of a part must be UTF-8.');
  }
}
