import { Invalid } from './invalid.js';
import { type Json, type JsonObject } from '../../../packages/exact-json/json.js';
import { toNfc } from '../../../packages/exact-json/nfc.js';
import { turn } from '../../../packages/fair/turn.js';
import { readUrl } from '../../../packages/safe-http/read-url.js';
import { say, sentence } from '../../common/message.js';
import { isBlankText } from '../../common/text.js';

/** One element of a `file` array in a payload. */
export type FileElement = KeptFile | InlineFile | RemoteFile;

/** An attachment that the task already has. */
export interface KeptFile {
  readonly from: 'task';
  readonly blobId: string;
  /** If this name is given and differs from the name of the attachment, the attachment is renamed. */
  readonly filename: string | undefined;
  /** If this media type is given, it must equal the media type of the stored file. */
  readonly contentType: string | undefined;
}

export interface InlineFile {
  readonly from: 'payload';
  readonly filename: string;
  readonly contentType: string;
  readonly base64: string;
  /** The size of the decoded file, in bytes. */
  readonly size: number;
}

export interface RemoteFile {
  readonly from: 'url';
  readonly url: string;
  /** If undefined, the name comes from the download, or else is `file`. */
  readonly filename: string | undefined;
  readonly contentType: string | undefined;
}

/** Reads one element of a `file` array; keys that docs/reference/api.md does not list are ignored. */
export function parseFileElement(input: Json): FileElement | Invalid {
  if (!(input instanceof Map)) return new Invalid('contains an entry that is not a file');
  const element: JsonObject = input;
  const sources = ['blobId', 'base64contents', 'remoteUrl'].filter(
    (key) => given(element, key) !== undefined,
  );
  if (sources.length !== 1)
    return new Invalid('needs one of blobId, base64contents and remoteUrl for each file');
  if (sources[0] === 'blobId') return parseKept(element);
  const names = parseNames(element);
  if (names instanceof Invalid) return names;
  return sources[0] === 'remoteUrl' ? parseRemote(element, names) : parseInline(element, names);
}

/** The value of a key; null counts as absent. */
function given(element: JsonObject, key: string): Exclude<Json, null> | undefined {
  return element.get(key) ?? undefined;
}

export const otherType = new Invalid('changes the contentType of a file that is already on this task');

export const notOnTask = new Invalid('names a file that is not on this task');

function parseKept(element: JsonObject): KeptFile | Invalid {
  const blobId = given(element, 'blobId');
  if (typeof blobId !== 'string') return new Invalid('has a blobId that is not a text');
  // No id has more than 100 characters. V8 hashes very long texts by length only, so lookups are slow.
  if (blobId.length > 100) return notOnTask;
  const names = parseNames(element);
  return names instanceof Invalid ? names : { from: 'task', blobId, ...names };
}

type Names = Pick<KeptFile, 'filename' | 'contentType'>;

function parseNames(element: JsonObject): Names | Invalid {
  const filename = given(element, 'filename');
  const contentType = given(element, 'contentType');
  if (contentType !== undefined && (typeof contentType !== 'string' || !isMediaType(contentType)))
    return new Invalid('has a contentType that is not a media type');
  if (filename === undefined) return { filename, contentType };
  const checked = typeof filename === 'string' ? checkFilename(filename) : new Invalid('is not a text');
  return checked instanceof Invalid
    ? new Invalid(say`has a filename that ${sentence(checked.said)}`)
    : { filename: checked, contentType };
}

function parseInline(element: JsonObject, { filename, contentType }: Names): InlineFile | Invalid {
  if (filename === undefined || contentType === undefined)
    return new Invalid('needs filename and contentType with base64contents');
  const base64 = given(element, 'base64contents');
  const size = typeof base64 === 'string' ? base64Length(base64) : undefined;
  if (typeof base64 !== 'string' || size === undefined)
    return new Invalid('has base64contents that are not Base64');
  return { from: 'payload', filename, contentType, base64, size };
}

function parseRemote(element: JsonObject, names: Names): RemoteFile | Invalid {
  const url = given(element, 'remoteUrl');
  if (typeof url !== 'string' || !/^https?:$/.test(readUrl(url)?.protocol ?? ''))
    return new Invalid('has a remoteUrl that is not an http(s) URL');
  return { from: 'url', url, ...names };
}

/**
 * The number of bytes that a Base64 text encodes; undefined if the text is invalid. Accepts the standard
 * alphabet of RFC 4648 with or without padding. Unused bits must be zero.
 */
export function base64Length(text: string): number | undefined {
  // Searches the text instead of decoding it. To decode up to 50 MB would take memory and block the event
  // loop.
  const foreign = text.search(/[^A-Za-z0-9+/]/);
  const length = foreign < 0 ? text.length : foreign;
  const start = length - (length % 4);
  return endings[length % 4]?.test(text.slice(start)) ? Math.floor((length * 3) / 4) : undefined;
}

/** How a valid Base64 text can end. The index is the number of characters after the last group of four. */
const endings: readonly (RegExp | undefined)[] = [
  /^$/,
  undefined,
  /^.[AQgw](?:==)?$/,
  /^..[AEIMQUYcgkosw048]=?$/,
];

/** Decodes a text that `base64Length` accepts. Yields the bytes in pieces, so that other work can run. */
export async function* decodeBase64(text: string): AsyncGenerator<Buffer, void, undefined> {
  for (let start = 0; start < text.length; start += PIECE_LENGTH) {
    yield Buffer.from(text.slice(start, start + PIECE_LENGTH), 'base64');
    await turn();
  }
}

const PIECE_LENGTH = 2 ** 17;

/**
 * Returns a file's name in NFC, or why the name is refused. A name must not be a path, and has at most 255
 * bytes of UTF-8, the limit of file systems. The name keeps Unicode direction marks, because right-to-left
 * scripts use them. Pages must therefore isolate the name from the text around it.
 */
export function checkFilename(given: string): string | Invalid {
  const text = toNfc(given);
  if (isBlankText(text)) return new Invalid('is empty');
  if (text.length > 255 || Buffer.byteLength(text) > 255) return new Invalid('is longer than 255 bytes');
  if (!text.isWellFormed()) return new Invalid('contains a character that cannot be stored');
  if (/\p{Control}/u.test(text)) return new Invalid('contains a control character');
  if (/[/\\]/.test(text) || text === '.' || text === '..') return new Invalid('is a path, not a name');
  return text;
}

/** Whether a text is a media type (RFC 9110) in visible ASCII and spaces, with at most 255 characters. */
export function isMediaType(text: string): boolean {
  return text.length <= 255 && mediaType.test(text);
}

const token = "[\\w!#$%&'*+.^`|~-]+";
const quoted = '"(?:[ !#-\\[\\]-~]|\\\\[ -~])*"';
const parameter = `${token}=(?:${token}|${quoted})`;
// Spaces belong to the part that follows them, so that the pattern matches each text in only one way.
const mediaType = new RegExp(`^${token}/${token}(?: *;(?: *${parameter})?)*$`);

/**
 * An attachment as a task stores it, without its bytes. The keys are in the order of `jsonb`, so that equal
 * attachments are equal JSON.
 */
export interface StoredFile {
  readonly blobId: string;
  readonly filename: string;
  readonly contentType: string;
}
