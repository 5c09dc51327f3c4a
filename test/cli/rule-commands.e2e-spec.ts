import { ruleCommands } from '../../src/cli/rule.commands.js';
import { type RulesSetting, rulesOfFile } from '../rules/rules.js';
import { type Ended, wts } from '../support/command-line.js';

// time.md, 2.6: "`pause` and `resume` exist and are events; `apply` leaves a paused rule paused; `wts rules pause --all` for
// the bad hour."
/** The one workspace of this file. */
const acme = 'acme-1';

describe('wts rules list|pause|resume', () => {
  const rules = ['id: fill, on: created, run: fill', 'id: up, on: created, run: count'];
  const startRules = rulesOfFile();
  let setting: RulesSetting;

  beforeAll(async () => {
    setting = await startRules(rules);
  });

  const run = (...args: string[]): Promise<Ended> =>
    wts(ruleCommands(), args, setting.service.config.databaseUrl ?? '');
  const paused = async (): Promise<unknown> => {
    const { body } = await setting.api.get('/api/v1/events?type=rule.paused&type=rule.resumed');
    return (body as { type: string; data: { rule: { id: string } } }[]).map(({ type, data }) => [
      type,
      data.rule.id,
    ]);
  };

  it('one rests and goes on, as do all, and each change is an event', async () => {
    expect((await run('pause', '--all')).out).toBe('2 rules now paused\n');
    expect((await run('resume', '--all', '--workspace', acme, '--workflow', 'tickets')).out).toBe(
      '2 rules now active\n',
    );
    expect((await run('pause', 'fill', '--workspace', acme)).out).toBe('fill is paused\n');
    expect((await run('list', '--workspace', acme)).out).toMatch(
      /^WORKFLOW +ID +ON +RUN +STATE\ntickets +fill +created +fill +paused\ntickets +up +created +count +active\n/,
    );
    expect((await run('resume', 'fill', '--workspace', acme)).out).toBe('fill is active\n');
    const all = ['fill', 'up'];
    expect(await paused()).toEqual([
      ...all.map((id) => ['rule.paused', id]),
      ...all.map((id) => ['rule.resumed', id]),
      ['rule.paused', 'fill'],
      ['rule.resumed', 'fill'],
    ]);
  });
});
