import { type TestService } from './service.js';

export interface BatchAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly lines: unknown[];
}

/** Sends a batch of lines, or as it is with a type of its own, and gives the lines of its answer. */
export async function postBatch(
  url: string,
  key: string,
  body: string | readonly object[],
  headers: Readonly<Record<string, string>> = {},
): Promise<BatchAnswer> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/x-ndjson', ...headers },
    body: typeof body === 'string' ? body : body.map((row) => `${JSON.stringify(row)}\n`).join(''),
  });
  const lines = (await answer.text()).split('\n').filter((line) => line !== '');
  const { status, headers: answered } = answer;
  return { status, headers: answered, lines: lines.map((line) => JSON.parse(line) as unknown) };
}

/** Sends these tasks in one request, to the path of the tasks of a workflow. */
export async function sendBatch(
  service: TestService,
  workspace: string,
  tasks: string,
  rows: readonly object[],
): Promise<void> {
  const key = await service.key(workspace);
  const { status, lines } = await postBatch(`${service.url}${tasks}/batch`, key, rows);
  expect([status, lines.length]).toEqual([200, rows.length]);
}
