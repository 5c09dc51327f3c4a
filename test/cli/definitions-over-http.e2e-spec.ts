import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { definitionCommands, exportCommand } from '../../src/cli/definition.commands.js';
import { rollbackCommand } from '../../src/cli/rollback.command.js';
import { commandNamed, type Ended, wts } from '../support/command-line.js';
import { workflowOf } from '../support/definitions.js';
import { startService, type TestService } from '../support/service.js';

const fields = ['name: ID, type: uniqueId, required: true', 'name: Note, type: text'];

describe('wts --url', () => {
  let service: TestService;
  let folder: string;
  let key: string;

  beforeAll(async () => {
    process.env['WTS_AUTHOR'] = 'mina';
    folder = await mkdtemp(join(tmpdir(), 'wts-url-'));
    service = await startService();
    await service.apply(workflowOf(fields, 'far'));
    key = await service.key('far', 'admin');
    await writeFile(join(folder, 'base.yaml'), workflowOf(fields, 'far'));
    await writeFile(join(folder, 'more.yaml'), workflowOf([...fields, 'name: Tier, type: text'], 'far'));
  });
  afterAll(async () => {
    delete process.env['WTS_AUTHOR'];
    await service.stop();
    await rm(folder, { recursive: true });
  });

  /** What a command does by HTTP, where it reaches no database. */
  async function run(name: string, ...args: readonly string[]): Promise<Ended> {
    const command = commandNamed(name, [...definitionCommands(), exportCommand(), rollbackCommand()]);
    const there = [...args, '--url', service.url, '--key', key];
    const ended = await wts(command, there, 'postgres://nobody@127.0.0.1:1/none', folder);
    return { ...ended, err: ended.err.replace(/^service: http:.*\n/, '') };
  }

  it('plans, applies, exports, tells the history and rolls back as on the database', async () => {
    const plan = await run('plan', 'more.yaml');
    expect(plan).toMatchObject({
      code: 2,
      out: expect.stringMatching(/\+ add {2}field {2}things \/ Tier/) as string,
    });
    const applied = await run('apply', 'more.yaml', '--base', 'base.yaml');
    expect(applied).toMatchObject({ code: 0, out: expect.stringMatching(/applied to workspace far: version 2\n$/) as string }); // prettier-ignore
    expect((await run('export')).out).toContain('Tier');
    expect((await run('history', 'far')).out).toMatch(/^2 +\S+Z +key test \(key_\w+\): mina +add field/m);
    const dry = await run('rollback', 'far', '--to', '1', '--dry-run');
    expect([dry.code, dry.out]).toEqual([2, expect.stringContaining('- remove  field  things / Tier')]);
    expect((await run('rollback', 'far', '--to', '1')).out).toContain('applied to workspace far: version 3');
  });

  it('tells of a change that came between, and does not overwrite it', async () => {
    await service.apply(workflowOf(fields, 'far'));
    const send = fetch;
    const sent = jest.spyOn(globalThis, 'fetch').mockImplementation(async (target, init) => {
      if (new Request(target, init).url.includes('/apply'))
        await service.apply(workflowOf([fields[0] ?? '', 'name: Note, type: longText'], 'far'));
      return send(target, init);
    });
    const { code, err } = await run('apply', 'more.yaml', '--base', 'base.yaml');
    sent.mockRestore();
    expect([code, err]).toEqual([
      1,
      'Somebody else has just applied a change, so nothing was applied. Run the command again.\n',
    ]);
  });

  it('takes its address and key from WTS_URL and WTS_KEY, and needs no name of the workspace', async () => {
    Object.assign(process.env, { WTS_URL: service.url, WTS_KEY: key });
    const { code, out } = await wts(exportCommand(), [], 'postgres://nobody@127.0.0.1:1/none', folder);
    delete process.env['WTS_URL'];
    delete process.env['WTS_KEY'];
    expect([code, out]).toEqual([0, expect.stringMatching(/^workspace: \{ id: far/)]);
  });

  it('says what is wrong with the address, the key or the workspace', async () => {
    const writer = await service.key('far');
    const said = async (...args: readonly string[]): Promise<string> =>
      (await wts(exportCommand(), args, '', folder)).err
        .replace(/^service: .*\n/, '')
        .replaceAll(service.url, 'URL');
    const at = ['--url', service.url];
    expect(await said('--url', 'wts', '--key', key)).toMatch(/^wts is not the address of a service/);
    expect(await said(...at)).toBe('--url needs a key of scope admin: give it as WTS_KEY, or by --key\n');
    expect(await said(...at, '--key', writer)).toMatch(
      /^URL answers 403: This request needs a key of scope admin/,
    );
    expect(await said(...at, '--key', 'x')).toMatch(/^URL answers 401: /);
    expect(await said('near', ...at, '--key', key)).toBe('The key belongs to workspace far, not to near.\n');
    expect(await said('--url', 'http://127.0.0.1:1', '--key', key)).toMatch(/ cannot be reached: /);
    expect(await said()).toBe('Which workspace? See: wts workspace list\n');
  });
});
