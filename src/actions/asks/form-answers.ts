import { isJsonList, type Json, type JsonObject, toJson } from '../../../packages/exact-json/json.js';
import { type Deadline } from '../../../packages/fair/deadline.js';
import { type Pause } from '../../../packages/fair/turn.js';
import { FieldErrors } from '../../common/field-errors.js';
import { say } from '../../common/message.js';
import { isBlankText } from '../../common/text.js';
import { type Output } from '../../workflows/fields/field-type.js';
import { type Workflow } from '../../workflows/model/workspace.js';
import { fileTypes, typeOfFile } from './file-types.js';
import { type FormField, maxBytesOf } from './form-fields.js';

/** A form for people without an account. It creates or changes a task. */
export interface OutsideForm {
  readonly title: string;
  readonly workflow: Workflow;
  readonly fields: readonly FormField[];
  /** The initial values of the fields. */
  readonly held?: ReadonlyMap<string, Output>;
  /** The fields that parameters in the form's address may fill in. */
  readonly prefill?: readonly string[];
  /** The sites that may embed the form in a frame. */
  readonly embed?: readonly string[];
  /** Returns the value of the hidden field `_page`. `sent` is the former value if a page is shown again. */
  mark(sent?: string): string;
  /** Writes the answers; throws all errors at once. For a new task, returns a reference for the sender. */
  send(post: SentPost): Promise<string | undefined>;
}

/** The answers to a form. Maps the names of fields to values, and the names of file fields to new files. */
export interface FormAnswers {
  readonly values: JsonObject;
  readonly files: ReadonlyMap<string, readonly SentFile[]>;
}

/** A file as the API expects it in a payload, with `filename`, `contentType` and `base64contents`. */
export type SentFile = ReadonlyMap<string, string>;

export interface SentPost extends FormAnswers {
  /** The value of the hidden field `_page`. */
  readonly mark: string;
  /** The value of a control that people do not see but robots fill in. */
  readonly trap: string;
  readonly deadline: Deadline | undefined;
}

/** The largest total size of the files in one post, in bytes. */
export const MAX_FILES_BYTES = 20_000_000;

/**
 * Parses the answers to a form into a payload, and collects the errors. Ignores answers to fields that the
 * form does not have. Appends new files to the task's files. Lets other requests run before each file,
 * because decoding a file takes time.
 */
export async function readAnswers(
  { fields, held }: Pick<OutsideForm, 'fields' | 'held'>,
  { values, files }: FormAnswers,
  pause: Pause,
): Promise<{ readonly payload: JsonObject; readonly errors: FieldErrors }> {
  const payload = new Map<string, Json>();
  const errors = new FieldErrors();
  let bytes = 0;
  for (const one of fields) {
    const known = toJson(held?.get(one.field));
    const heldFiles = isJsonList(known) ? known : [];
    const sent = files.get(one.field);
    const added: Json[] = [];
    for (const file of sent ?? []) {
      await pause();
      const content = Buffer.from(file.get('base64contents') ?? '', 'base64');
      bytes += content.length;
      added.push(readFile(one, file, content, errors));
    }
    const value = sent ? [...heldFiles, ...added] : values.get(one.field);
    if (one.required === true && isBlank(value ?? heldFiles)) errors.add(one.field, 'is required');
    if (value !== undefined) payload.set(one.field, value);
  }
  if (bytes > MAX_FILES_BYTES) errors.add('base', say`The files are larger than ${'20 MB'} together`);
  return { payload, errors };
}

function readFile(asked: FormField, file: SentFile, bytes: Buffer, errors: FieldErrors): JsonObject {
  const { field, types = fileTypes } = asked;
  const name = file.get('filename') ?? '';
  const type = typeOfFile(bytes, file.get('contentType') ?? '');
  if (type === undefined || !types.includes(type))
    errors.add(field, say`has a file of another type: ${name}`);
  if (bytes.length > maxBytesOf(asked))
    errors.add(field, say`has a file larger than ${asked.max ?? '20 MB'}: ${name}`);
  return new Map([...file, ['contentType', type ?? 'application/octet-stream']]);
}

const isBlank = (value: Json | undefined): boolean =>
  value == null || value === false || isBlankText(value) || (isJsonList(value) && value.length === 0);
