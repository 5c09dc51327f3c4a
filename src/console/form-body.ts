import { pipeline } from 'node:stream/promises';
import busboy from 'busboy';
import {
  createParamDecorator,
  type ExecutionContext,
  Inject,
  Injectable,
  type PipeTransform,
} from '@nestjs/common';
import { type Request } from 'express';
import { type PageRequest } from './reader.js';
import { type JsonObject } from '../../packages/exact-json/json.js';
import { type SentFile } from '../actions/asks/form-answers.js';
import { toNfc } from '../../packages/exact-json/nfc.js';
import { pauses } from '../../packages/fair/turn.js';
import { CONFIG, type Config } from '../config.js';
import { Bodies } from '../common/http/bodies.js';
import { Refusal } from '../common/errors.js';
import { say } from '../common/message.js';
import { hash } from 'node:crypto';
import { noPrecondition, type TaskRow } from '../tasks/store/task-row.js';
import { type Write } from '../tasks/write.js';

export interface SentForm {
  readonly fields: URLSearchParams;
  /** Maps the name of a control to its files. */
  readonly files: ReadonlyMap<string, readonly SentFile[]>;
}

@Injectable()
class FormPipe implements PipeTransform<PageRequest, Promise<SentForm>> {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly bodies: Bodies,
  ) {}

  async transform(request: PageRequest): Promise<SentForm> {
    const form = await readForm(request, this.config.maxBodyBytes, this.bodies);
    requireOwnForm(request, form.fields);
    return form;
  }
}

const fieldsOf: PipeTransform<SentForm, URLSearchParams> = { transform: ({ fields }) => fields };

const CurrentRequest = createParamDecorator((_: unknown, context: ExecutionContext) =>
  context.switchToHttp().getRequest<PageRequest>(),
);

export const FilledForm = (): ParameterDecorator => CurrentRequest(FormPipe);

/** Injects the fields of a form. Even if a method ignores them, the form of another user is refused. */
export const FormBody = (): ParameterDecorator => CurrentRequest(FormPipe, fieldsOf);

/** Reads a form of at most `limit` bytes. Names and values are normalized to NFC. */
export async function readForm(request: Request, limit: number, bodies: Bodies): Promise<SentForm> {
  const bytes = await bodies.read(request, limit, [plain, multipart]);
  const type = request.headers['content-type'] ?? '';
  if (type.toLowerCase().startsWith(multipart)) return readParts(type, bytes);
  const fields = [...new URLSearchParams(bytes.toString('utf8'))].map((field) => field.map(toNfc));
  return { fields: new URLSearchParams(fields), files: new Map() };
}

const plain = 'application/x-www-form-urlencoded';
const multipart = 'multipart/form-data';

async function readParts(type: string, bytes: Buffer): Promise<SentForm> {
  const fields = new URLSearchParams();
  const files = new Map<string, SentFile[]>();
  try {
    const limits = { ...mostParts, fieldSize: bytes.length };
    const parser = busboy({ headers: { 'content-type': type }, limits, defParamCharset: 'utf8' });
    parser.on('field', (name, value) => {
      fields.append(toNfc(name), toNfc(value));
    });
    parser.on('file', (name, stream, { filename, mimeType: contentType }) => {
      const pieces: Buffer[] = [];
      stream.on('data', (piece: Buffer) => pieces.push(piece));
      stream.on('end', () => {
        // For a file control without a chosen file, browsers send a part with a blank filename.
        if (!filename) return;
        const base64contents = Buffer.concat(pieces).toString('base64');
        const file = new Map(Object.entries({ base64contents, contentType, filename }));
        const key = toNfc(name);
        files.set(key, [...(files.get(key) ?? []), file]);
      });
    });
    await pipeline(piecesOf(bytes), parser);
  } catch {
    throw new Refusal('malformed', 'The form is incomplete.');
  }
  return { fields, files };
}

const MAX_PARTS = 5000;
const mostParts = { fields: MAX_PARTS, files: MAX_PARTS, parts: MAX_PARTS, headerPairs: 50 };

/** Splits a large form into pieces. Between two pieces, the process handles other requests. */
async function* piecesOf(bytes: Buffer): AsyncGenerator<Buffer> {
  const pause = pauses();
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    yield bytes.subarray(at, at + PIECE_BYTES);
    await pause();
  }
}

const PIECE_BYTES = 1_000_000;

/** The name of a hidden control with a random text, which makes each copy of a form unique. */
export const FORM_KEY = '_key';

/** The name of a hidden control. It contains the id of the user who opened the page of the form. */
export const FORM_USER = '_user';

export class FormOfAnother extends Refusal {}

/**
 * Refuses a form that was rendered for another user. Such a form stays in a browser after a session has ended
 * and another user has signed in.
 */
export function requireOwnForm({ reader }: PageRequest, sent: URLSearchParams): void {
  const userId = sent.get(FORM_USER);
  if (!reader || userId === null || userId === reader.user.id) return;
  const said = say`Nothing was changed. You are signed in as ${reader.user.email}.`;
  throw new FormOfAnother('forbidden', said);
}

/** The idempotency key of a sent form: a hash of its content. Undefined if the form lacks FORM_KEY. */
export function keyOfForm(form: URLSearchParams, files: readonly unknown[] = []): string | undefined {
  if (!form.get(FORM_KEY)) return undefined;
  return hash('sha256', JSON.stringify([form.toString(), ...files]), 'base64url');
}

/**
 * Returns the state that the task had when the form was rendered, for `changeOf`. If the form has no valid
 * state, returns an empty list, which matches no task.
 */
export function statesIn(form: URLSearchParams): string[] {
  const state = form.get('version') ?? '';
  return /^\d{1,16}@\d{1,16}$/.test(state) ? [state] : [];
}

/** Returns a change of a task. If the task is in none of the states, the change is refused. */
export function changeOf(
  { publicId }: Pick<TaskRow, 'publicId'>,
  payload: JsonObject,
  states: readonly string[],
): Write {
  const precondition = { ...noPrecondition, mustExist: true, states };
  return { verb: 'update', task: { publicId }, payload, precondition };
}
