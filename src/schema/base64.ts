/**
 * How many bytes a Base64 text stands for; undefined when it is none: the standard alphabet of RFC 4648, padded or
 * not, in the one spelling that an encoder gives.
 */
export function base64Length(text: string): number | undefined {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const length = text.length - padding;
  const left = length % 4;
  if (left === 1 || (padding > 0 && padding !== 4 - left)) return undefined;
  if (foreign.test(padding > 0 ? text.slice(0, length) : text)) return undefined;
  return isCanonical(text.charAt(length - 1), left) ? Math.floor((length * 3) / 4) : undefined;
}

/** The bytes of a text that `base64Length` accepts, a piece at a time; between pieces others get their turn. */
export async function* decodeBase64(text: string): AsyncGenerator<Buffer, void, undefined> {
  for (let start = 0; start < text.length; start += pieceLength) {
    yield Buffer.from(text.slice(start, start + pieceLength), 'base64');
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Four characters are three bytes: 96 KiB. */
const pieceLength = 2 ** 17;

const foreign = /[^A-Za-z0-9+/]/;

/** Two characters left over hold one byte and four bits, three hold two bytes and two: those bits must be zero. */
function isCanonical(last: string, left: number): boolean {
  if (left === 0) return true;
  return left === 2 ? 'AQgw'.includes(last) : 'AEIMQUYcgkosw048'.includes(last);
}
