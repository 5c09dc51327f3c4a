import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { taskCommands } from '../../src/cli/task.commands.js';
import { postBatch } from '../support/batch.js';
import { commandNamed, type Ended, wts } from '../support/command-line.js';
import { startServiceWith } from '../support/service.js';

/** Starts the service with a definition, and gives the ways to write its tasks. */
export async function startWithActions(definition: string) {
  const { service, api, key } = await startServiceWith(definition);
  return {
    service,
    api,

    /** How an action on a task ends. */
    perform: async (
      workflow: string,
      action_id: string,
      task_id: string,
      fields?: object,
    ): Promise<unknown> => {
      const body = { action_id, task_id, ...(fields && { fields }) };
      const path = `/api/v1/workflows/${workflow}/executions`;
      return ((await api.post(path, body).set('Prefer', 'wait=20')).body as { status: unknown }).status;
    },

    /** The lines that answer a batch. */
    batch: async (workflow: string, rows: readonly object[], query = ''): Promise<unknown[]> => {
      const url = `${service.url}/api/v1/workflows/${workflow}/tasks/batch${query}`;
      return (await postBatch(url, key, rows)).lines;
    },

    /** What `wts import` of one row says. */
    importing: async (workflow: string, row: object, ...flags: string[]): Promise<Ended> => {
      const folder = await mkdtemp(join(tmpdir(), 'wts-import-'));
      await writeFile(join(folder, 'rows.ndjson'), `${JSON.stringify(row)}\n`);
      const args = ['rows.ndjson', '--workspace', 'acme', '--workflow', workflow, ...flags];
      const url = service.config.databaseUrl ?? '';
      const ended = wts(commandNamed('import', taskCommands()), args, url, folder);
      return ended.finally(() => rm(folder, { recursive: true }));
    },

    /** The bodies of these tasks, as they are sent. */
    texts: async (...paths: string[]): Promise<string[]> => {
      const answers = await Promise.all(paths.map((path) => api.get(path).expect(200)));
      return answers.map(({ text }) => text);
    },
  };
}
