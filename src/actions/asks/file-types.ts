import { isUtf8 } from 'node:buffer';

/** The types of files that forms accept, each with a test of a file's bytes. */
const signatures: ReadonlyMap<string, (bytes: Buffer) => boolean> = new Map([
  ['application/pdf', startsWith('%PDF-')],
  ['image/png', startsWith('\x89PNG\r\n\x1a\n')],
  ['image/jpeg', startsWith('\xff\xd8\xff')],
  ['image/gif', startsWith('GIF8')],
  ['image/webp', (bytes) => startsWith('RIFF')(bytes) && bytes.toString('latin1', 8, 12) === 'WEBP'],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', zipWith('word/')],
  ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', zipWith('xl/')],
  ['application/zip', startsWith('PK\x03\x04')],
  ['text/csv', isPlainText],
  ['text/plain', isPlainText],
]);

export const fileTypes: readonly string[] = [...signatures.keys()];

/** Returns `declared` if the bytes pass its test. Otherwise, returns the first type whose test passes. */
export function typeOfFile(bytes: Buffer, declared: string): string | undefined {
  if (signatures.get(declared)?.(bytes) === true) return declared;
  return fileTypes.find((type) => signatures.get(type)?.(bytes) === true);
}

function startsWith(signature: string): (bytes: Buffer) => boolean {
  return (bytes) => bytes.toString('latin1', 0, signature.length) === signature;
}

/** Returns a test for an Office document: a ZIP file that contains the folder. */
function zipWith(folder: string): (bytes: Buffer) => boolean {
  return (bytes) => startsWith('PK\x03\x04')(bytes) && bytes.includes(folder);
}

function isPlainText(bytes: Buffer): boolean {
  return isUtf8(bytes) && !bytes.includes(0);
}
