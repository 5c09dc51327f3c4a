import { type TestService } from './service.js';

/** Sends these tasks in one request, to the path of the tasks of a workflow. */
export async function sendBatch(
  service: TestService,
  workspace: string,
  tasks: string,
  rows: readonly object[],
): Promise<void> {
  const answer = await fetch(`${service.url}${tasks}/batch`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${await service.key(workspace)}`,
      'Content-Type': 'application/x-ndjson',
    },
    body: rows.map((row) => JSON.stringify(row)).join('\n'),
  });
  const lines = (await answer.text()).split('\n').filter((line) => line !== '');
  expect([answer.status, lines.length]).toEqual([200, rows.length]);
}
