import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { callerFolder } from '../config.js';
import { readDefinition, type SourceDefinition } from '../definitions/read-definition.js';

/** Reads a definition file, whose path is as it was typed. */
export async function readSource(file: string): Promise<SourceDefinition> {
  const bytes = await readFile(resolve(callerFolder(), file)).catch((error: unknown) => {
    throw new Error(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  });
  return readDefinition(decode(bytes, file), file);
}

function decode(bytes: Buffer, file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Error(`${file} is not a text in UTF-8`);
  }
}
