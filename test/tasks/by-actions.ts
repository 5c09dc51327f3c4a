import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { taskCommands } from '../../src/cli/task.commands.js';
import { postBatch } from '../support/batch.js';
import { commandNamed, type Ended, wts } from '../support/command-line.js';
import { startServiceWith } from '../support/service.js';

export const changes = '/api/v1/workflows/changes';
export const tasks = `${changes}/tasks`;

/** Changes with fields, links and stages of which some are for actions alone. */
export const byActions = `
workspace: { id: acme, name: Acme }
users: [{ email: mina@acme.test }]
workflows:
  - id: changes
    name: Changes
    stages: [{ name: New, enter: by_actions }, { name: Review }, { name: Approved, enter: by_actions }]
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: Note, type: text }
      - { name: Signed, type: checkbox, change: by_actions }
      - { name: Amount, type: number, change: by_actions, default: 0 }
      - { name: Verdict, type: text, change: by_actions }
      - { name: Regions, type: multipleSelect, options: [EMEA, APAC], change: by_actions }
      - { name: Seal, type: file, change: by_actions }
      - { name: Origin, type: text, editable: false }
      - { name: Made by, type: text, editable: false, change: by_actions }
    actions:
      - id: approve
        name: Approve
        steps:
          - { name: Fill, type: update_fields, set: { Signed: true, Amount: 12.5, Verdict: '{{Note}}', Regions: [APAC] } }
          - { name: Move, type: move_to_stage, stage: Approved }
      - id: vote
        name: Vote
        steps: [{ name: Vote, type: create_linked_task, relationship: votes, set: { Vote: '{{ID}}-1', Weight: 2, Cast: x, Stage: Settled } }]
      - id: count
        name: Count
        steps: [{ name: Count, type: update_linked_tasks, relationship: votes, set: { Weight: 3, Stage: Settled } }]
  - id: votes
    name: Votes
    stages: [{ name: Open }, { name: Settled, enter: by_actions, end: true }]
    fields:
      - { name: Vote, type: uniqueId, required: true }
      - { name: Weight, type: number, change: by_actions }
      - { name: Cast, type: text, editable: false, change: by_actions }
relationships:
  - { id: votes, kind: one_to_many, from: { workflow: changes, name: Votes, change: by_actions }, to: { workflow: votes, name: Change } }
  - { id: free, kind: many_to_many, from: { workflow: changes, name: Seconds }, to: { workflow: votes, name: Seconded } }
`;
export const votes = '/api/v1/workflows/votes/tasks';

/** Starts the service with a definition of changes, and gives the ways to write them. */
export async function startChanges(definition = byActions) {
  const { service, api, key } = await startServiceWith(definition);
  return {
    service,
    api,

    /** How an action on a task ends. */
    perform: async (action_id: string, task_id: string, fields?: object): Promise<unknown> => {
      const body = { action_id, task_id, ...(fields && { fields }) };
      const { body: ended } = await api.post(`${changes}/executions`, body).set('Prefer', 'wait=20');
      return (ended as { status: unknown }).status;
    },

    /** The lines that answer a batch. */
    batch: async (rows: readonly object[]): Promise<unknown[]> =>
      (await postBatch(`${service.url}${tasks}/batch`, key, rows)).lines,

    /** What `wts import` of one row says. */
    importing: async (row: object, ...flags: string[]): Promise<Ended> => {
      const folder = await mkdtemp(join(tmpdir(), 'wts-import-'));
      await writeFile(join(folder, 'rows.ndjson'), `${JSON.stringify(row)}\n`);
      const args = ['rows.ndjson', '--workspace', 'acme', '--workflow', 'changes', ...flags];
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
