import busboy, { type Busboy } from 'busboy';
import { Inject, Injectable, type PipeTransform } from '@nestjs/common';
import { type Request } from 'express';
import { once } from 'node:events';
import { CONFIG, type Config } from '../../config.js';
import { Bodies } from '../../http/bodies.js';
import { Refusal } from '../../lib/errors.js';
import { type JsonObject } from '../../../packages/exact-json/json.js';
import { toNfc } from '../../../packages/exact-json/nfc.js';
import { turn } from '../../../packages/fair/turn.js';
import { CurrentRequest, fieldsIn } from '../form-body.js';

/** What a form says that may hold files. */
export interface FilledForm {
  readonly fields: URLSearchParams;
  /** By the name of their key, as a payload of the API has them. */
  readonly files: ReadonlyMap<string, readonly JsonObject[]>;
}

/** Reads such a form whole, as a payload is read that brings files. */
@Injectable()
class FilledFormPipe implements PipeTransform<Request, Promise<FilledForm>> {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly bodies: Bodies,
  ) {}

  async transform(request: Request): Promise<FilledForm> {
    return readFilledForm(request, this.config.maxBodyBytes, this.bodies);
  }
}

/** Reads a form of at most so many bytes. */
export async function readFilledForm(request: Request, limit: number, bodies: Bodies): Promise<FilledForm> {
  const bytes = await bodies.read(request, limit, [plain, multipart]);
  const type = request.headers['content-type'] ?? '';
  if (type.toLowerCase().startsWith(multipart)) return readParts(type, bytes);
  return { fields: fieldsIn(bytes), files: new Map() };
}

const plain = 'application/x-www-form-urlencoded';
const multipart = 'multipart/form-data';

/** The fields and files of the form that was sent. */
export const FilledFormBody = (): ParameterDecorator => CurrentRequest(FilledFormPipe);

async function readParts(type: string, bytes: Buffer): Promise<FilledForm> {
  const fields = new URLSearchParams();
  const files = new Map<string, JsonObject[]>();
  const parser = parserOf(type, bytes.length);
  parser.on('field', (name, value) => {
    fields.append(toNfc(name), toNfc(value));
  });
  parser.on('file', (name, stream, { filename, mimeType: contentType }) => {
    const pieces: Buffer[] = [];
    stream.on('data', (piece: Buffer) => pieces.push(piece));
    stream.on('end', () => {
      // A control in which nothing was chosen sends a file without a name.
      if (!filename) return;
      const base64contents = Buffer.concat(pieces).toString('base64');
      const file = new Map([['base64contents', base64contents], ['contentType', contentType], ['filename', filename]]); // prettier-ignore
      const key = toNfc(name);
      files.set(key, [...(files.get(key) ?? []), file]);
    });
  });
  await feed(parser, bytes);
  return { fields, files };
}

function parserOf(contentType: string, size: number): Busboy {
  try {
    const limits = {
      fieldSize: size,
      fields: MAX_PARTS,
      files: MAX_PARTS,
      parts: MAX_PARTS,
      headerPairs: 50,
    };
    const headers = { 'content-type': contentType };
    return busboy({ headers, limits, defParamCharset: 'utf8' });
  } catch {
    throw incomplete();
  }
}

/** Gives the parser all bytes; others have their turn between pieces. */
async function feed(parser: Busboy, bytes: Buffer): Promise<void> {
  const finished = once(parser, 'close').catch(() => {
    throw incomplete();
  });
  const fed = async (): Promise<void> => {
    for (let at = 0; at < bytes.length && !parser.destroyed; at += PIECE_LENGTH) {
      parser.write(bytes.subarray(at, at + PIECE_LENGTH));
      await turn();
    }
    parser.end();
  };
  await Promise.all([finished, fed()]);
}

const MAX_PARTS = 5000;
const PIECE_LENGTH = 2 ** 20;

const incomplete = (): Refusal => new Refusal('malformed', 'The form is incomplete.');
