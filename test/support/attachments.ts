import { readdir } from 'node:fs/promises';
import { type Response } from 'supertest';
import { type Client, type TestService } from './service.js';

/** An attachment as an answer shows it. */
export interface FileJson {
  readonly blobId: string;
  readonly contentType: string;
  readonly filename: string;
}

/** A new element of a file array, with its bytes in Base64. */
export interface InlineJson {
  readonly filename: string;
  readonly contentType: string;
  readonly base64contents: string;
}

export function inline(filename: string, bytes: string | Buffer = filename): InlineJson {
  const base64contents = Buffer.from(bytes as string).toString('base64');
  return { filename, contentType: 'application/x-test', base64contents };
}

/** The attachments under a key of an answered task. */
export function filesOf({ body }: Response, field: string): FileJson[] {
  return (body as Record<string, FileJson[]>)[field] ?? [];
}

export interface FormFile {
  readonly filename: string;
  readonly bytes?: string | Buffer;
  readonly contentType?: string;
}

/** A form with one file; its name is put into the header unchanged. */
export function formOf({ filename, bytes = filename, contentType = 'application/x-test' }: FormFile): {
  readonly type: string;
  readonly body: Buffer;
} {
  const head = `--XYZ\r\nContent-Disposition: form-data; name="file"; filename="${filename}"\r\nContent-Type: ${contentType}\r\n\r\n`;
  const body = Buffer.concat([
    Buffer.from(head),
    Buffer.from(bytes as string),
    Buffer.from('\r\n--XYZ--\r\n'),
  ]);
  return { type: 'multipart/form-data; boundary=XYZ', body };
}

/** Sends a form with one file to the path of a file field. */
export async function sendForm(
  api: Client,
  path: string,
  file: FormFile,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const { type, body } = formOf(file);
  return api
    .post(path)
    .set({ 'Content-Type': type, ...headers })
    .send(body);
}

export interface Downloaded {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
}

/** A file's answer with its bytes. */
export async function download(
  api: Client,
  blobId: string,
  sent: Readonly<Record<string, string>> = {},
): Promise<Downloaded> {
  const { status, headers, body } = await api
    .get(`/api/v1/files/${blobId}`)
    .set(sent)
    .buffer(true)
    .parse((stream, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(Buffer.from(chunk)));
      stream.on('end', () => {
        done(null, Buffer.concat(chunks));
      });
    });
  return { status, headers: headers, body: body as Buffer };
}

/** The names of all files in a blob folder, sorted. */
export async function storedFiles(folder: string | undefined): Promise<string[]> {
  const entries = await readdir(folder ?? '', { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name)
    .sort();
}

/** Everything that a write could leave behind: tasks, rows of blobs and files on disk. */
export async function stateOf({ dataSource, config }: TestService): Promise<object> {
  return {
    tasks: await dataSource.query<object[]>(
      'SELECT public_id, unique_value, version, field_values FROM tasks ORDER BY public_id',
    ),
    blobs: await dataSource.query<object[]>('SELECT id, task_id, is_doomed FROM blobs ORDER BY id'),
    files: await storedFiles(config.blobStore),
  };
}

/** The ids of all blobs, and of those that a task's values name, both sorted. */
export async function blobIds({
  dataSource,
}: Pick<TestService, 'dataSource'>): Promise<{ rows: string[]; named: string[] }> {
  const ids = async (text: string): Promise<string[]> =>
    (await dataSource.query<{ id: string }[]>(text)).map(({ id }) => id).sort();
  return {
    rows: await ids('SELECT id FROM blobs'),
    named: await ids(`
      SELECT file ->> 'blobId' AS id FROM tasks, jsonb_each(field_values) AS field (name, value),
        jsonb_array_elements(CASE jsonb_typeof(value) WHEN 'array' THEN value ELSE '[]' END) AS file
      WHERE jsonb_typeof(file) = 'object'`),
  };
}
