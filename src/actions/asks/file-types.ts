import { isUtf8 } from 'node:buffer';

/** The types of files that forms accept, each with a test of a file's bytes. */
const signatures: ReadonlyMap<string, (bytes: Buffer) => boolean> = new Map([
  ['application/pdf', begins('%PDF-')],
  ['image/png', begins('\x89PNG\r\n\x1a\n')],
  ['image/jpeg', begins('\xff\xd8\xff')],
  ['image/gif', begins('GIF8')],
  ['image/webp', (bytes) => begins('RIFF')(bytes) && bytes.toString('latin1', 8, 12) === 'WEBP'],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', begins('PK\x03\x04', 'word/')],
  ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', begins('PK\x03\x04', 'xl/')],
  ['application/zip', begins('PK\x03\x04')],
  ['text/csv', isPlainText],
  ['text/plain', isPlainText],
]);

export const fileTypes: readonly string[] = [...signatures.keys()];

/** Returns `declared` if the bytes pass its test. Otherwise, returns the first type whose test passes. */
export function typeOfFile(bytes: Buffer, declared: string): string | undefined {
  if (signatures.get(declared)?.(bytes) === true) return declared;
  return fileTypes.find((type) => signatures.get(type)?.(bytes) === true);
}

/** Returns a test for files that begin with a signature and contain `content`, such as a folder of a ZIP. */
function begins(signature: string, content = ''): (bytes: Buffer) => boolean {
  return (bytes) => bytes.toString('latin1', 0, signature.length) === signature && bytes.includes(content);
}

function isPlainText(bytes: Buffer): boolean {
  return isUtf8(bytes) && !bytes.includes(0);
}
