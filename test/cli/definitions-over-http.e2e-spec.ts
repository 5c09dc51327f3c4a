import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { definitionCommands, exportCommand } from '../../src/cli/definition.commands.js';
import { commandNamed, type Ended, wts } from '../support/command-line.js';
import { startService, type TestService } from '../support/service.js';

const onboarding = join(import.meta.dirname, '../../docs/examples/onboarding.yaml');

/** A workspace that is the demo's under another name. */
const demoAs = (demo: string, id: string): string =>
  demo.replace('id: demo', `id: ${id}`).replaceAll('demo.test', `${id}.test`);

describe('wts --url', () => {
  let service: TestService;
  let folder: string;
  let demo: string;

  beforeAll(async () => {
    process.env['WTS_AUTHOR'] = 'mina';
    folder = await mkdtemp(join(tmpdir(), 'wts-url-'));
    demo = await readFile(onboarding, 'utf8');
    service = await startService();
    for (const id of ['near', 'far']) await service.apply(demoAs(demo, id));
  });
  afterAll(async () => {
    delete process.env['WTS_AUTHOR'];
    await service.stop();
    await rm(folder, { recursive: true });
  });

  /** What a command does on the database of one workspace, and by HTTP on another that is alike: the same is written. */
  async function both(yaml: string, name: string, ...options: readonly string[]): Promise<Ended> {
    const key = await service.key('far', 'admin');
    const at = ['--url', service.url, '--key', key];
    const [near, far] = ['near', 'far'].map((id) => (name === 'export' ? id : `${id}.yaml`));
    for (const id of ['near', 'far']) await writeFile(join(folder, `${id}.yaml`), demoAs(yaml, id));
    const command = (): ReturnType<typeof exportCommand> =>
      commandNamed(name, [...definitionCommands(), exportCommand()]);
    const here = await wts(command(), [near ?? '', ...options], service.config.databaseUrl ?? '', folder);
    const there = await wts(
      command(),
      [far ?? '', ...options, ...at],
      'postgres://nobody@127.0.0.1:1/none',
      folder,
    );
    const alike = (text: string): string => text.replaceAll('near', 'far');
    expect({ ...there, err: there.err.replace(/^service: http:.*\n/, '') }).toEqual({
      ...here,
      out: alike(here.out),
      err: alike(here.err),
    });
    return there;
  }

  const withMore = (): string =>
    demo.replace('    fields:\n', '    fields:\n      - { name: Tier, type: text }\n');

  it('plan prints what it prints on the database, and ends as it does', async () => {
    expect(await both(demo, 'plan')).toMatchObject({
      code: 0,
      out: 'no changes: workspace far is up to date\n',
    });
    const { code, out } = await both(withMore(), 'plan');
    expect([code, out]).toEqual([2, expect.stringMatching(/\+ add {2}field {2}vendors \/ Tier/)]);
    expect((await both(withMore(), 'plan', '--json')).code).toBe(2);
  });

  it('apply does what it does on the database; export prints the same', async () => {
    expect(await both(withMore(), 'apply')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/applied to workspace far: version 2\n$/) as string,
    });
    expect(await both(withMore(), 'apply', '--json')).toMatchObject({ code: 0 });
    expect((await both('', 'export')).out).toContain('Tier');
    expect((await both('', 'export', '--json')).code).toBe(0);
  });

  it('refuses with the same words, faults with their lines and losses with their plan', async () => {
    const wrong = demo.replace('type: uniqueId', 'type: unique');
    for (const name of ['plan', 'apply'])
      for (const options of [[], ['--json']]) expect((await both(wrong, name, ...options)).code).toBe(1);
    for (const id of ['near', 'far'])
      await service.client(await service.key(id)).post('/api/v1/workflows/vendors/tasks', { 'Vendor ID': 'V-1', 'Vendor Name': 'A', Tier: 'Gold' }).expect(201); // prettier-ignore
    for (const name of ['plan', 'apply'])
      expect(await both(demo, name, '--prune')).toMatchObject({
        code: 1,
        out: expect.stringContaining('! 1 ') as string,
        err: expect.stringContaining('--allow-data-loss') as string,
      });
    expect((await both(demo, 'apply', '--prune', '--allow-data-loss')).code).toBe(0);
  });

  it('takes its address and key from WTS_URL and WTS_KEY, and needs no name of the workspace', async () => {
    process.env['WTS_URL'] = service.url;
    process.env['WTS_KEY'] = await service.key('far', 'admin');
    try {
      const { code, out } = await wts(exportCommand(), [], 'postgres://nobody@127.0.0.1:1/none', folder);
      expect([code, out]).toEqual([0, expect.stringMatching(/^workspace: \{ id: far/)]);
    } finally {
      delete process.env['WTS_URL'];
      delete process.env['WTS_KEY'];
    }
  });

  it('says what is wrong with the address, the key or the workspace', async () => {
    const admin = await service.key('far', 'admin');
    const writer = await service.key('far');
    const told = async (...args: readonly string[]): Promise<string> =>
      (await wts(exportCommand(), args, '', folder)).err
        .replace(/^service: .*\n/, '')
        .replaceAll(service.url, 'URL');
    expect(await told('--url', 'wts', '--key', admin)).toMatch(/^wts is not the address of a service/);
    expect(await told('--url', service.url)).toBe(
      '--url takes a key of scope admin: give it as WTS_KEY, or by --key\n',
    );
    expect(await told('--url', service.url, '--key', writer)).toMatch(
      /^URL answers 403: This takes a key of scope admin/,
    );
    expect(await told('--url', service.url, '--key', 'x')).toMatch(/^URL answers 401: /);
    expect(await told('near', '--url', service.url, '--key', admin)).toBe(
      'The key is one of workspace far, not of near.\n',
    );
    expect(await told('--url', 'http://127.0.0.1:1', '--key', admin)).toMatch(
      /^http:\/\/127\.0\.0\.1:1 cannot be asked: /,
    );
    expect(await told()).toBe('Which workspace? See: wts workspace list\n');
  });
});
