import { kindCommands } from '../../src/cli/kind.commands.js';
import { shownKinds } from '../../src/workflows/definition/kinds.js';
import { commandNamed, type Ended, wts } from '../support/command-line.js';
import { startServiceWith } from '../support/service.js';

const definition = `
workspace: { id: acme, name: Acme, timezone: Europe/Berlin }
workflows:
  - id: tickets
    name: Tickets
    stages: [{ name: New }, { name: Done, end: true }]
    fields: [{ name: ID, type: uniqueId, required: true }]
    actions: [{ id: close, name: Close, steps: [{ name: Go, type: move_to_stage, stage: Done }] }]
    rules: [{ id: at-once, on: created, run: close }]
    schedules: [{ id: weekly, cron: "0 7 * * MON", create: { ID: "w {{date}} {{time}}" } }]
  - { id: empty, name: Empty, stages: [{ name: New }] }
`;
const tickets = ['--workspace', 'acme', '--workflow', 'tickets'];

const { service, api } = await startServiceWith(definition);

describe('the commands of kinds', () => {
  const run = async (kind: string, ...args: string[]): Promise<Ended> =>
    wts(commandNamed(kind, kindCommands(shownKinds)), args, service.config.databaseUrl ?? '');

  it('list and show print what the API shows', async () => {
    const rules = await run('rule', 'list', ...tickets);
    expect(rules.out).toMatch(/^ID +ON +RUN +STATE +LAST RUN AT\nat-once +created +close +active +-\n$/);
    const { body } = await api.get('/api/v1/workflows/tickets/schedules/weekly').expect(200);
    expect(JSON.parse((await run('schedule', 'show', ...tickets, 'weekly')).out)).toEqual(body);
    const none = await run('rule', 'list', '--workspace', 'acme', '--workflow', 'empty');
    expect(none).toEqual({ code: 0, out: '', err: 'The workflow has no rules.\n' });
  });

  it('operate as the API does, and record the operation', async () => {
    const stateOf = ({ out }: Ended): unknown => (JSON.parse(out) as { state?: string }).state;
    expect(stateOf(await run('schedule', 'pause', ...tickets, 'weekly'))).toBe('paused');
    expect(stateOf(await run('schedule', 'resume', ...tickets, 'weekly'))).toBe('active');
    expect(await api.read('/api/v1/events?type=schedule.paused')).toHaveLength(1);
    expect((await run('schedule', 'run', ...tickets, 'weekly')).out).toBe('The schedule will fire.\n');
    await service.settle();
    expect(await api.read('/api/v1/workflows/tickets/tasks')).toHaveLength(1);
  });

  it('name the existing ids for an unknown id', async () => {
    const { code, err } = await run('rule', 'pause', ...tickets, 'at-onec');
    expect([code, err]).toEqual([1, expect.stringMatching(/No rule .*at-onec.* in workflow .*tickets.*at-once/)]); // prettier-ignore
  });
});
