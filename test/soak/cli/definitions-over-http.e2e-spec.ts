import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { applyDefinition } from '../../../src/definitions/apply-definition.js';
import { readDefinition } from '../../../src/definitions/source/read-definition.js';
import { definitionCommands, exportCommand } from '../../../src/cli/definition.commands.js';
import { rollbackCommand } from '../../../src/cli/rollback.command.js';
import { commandNamed, type Ended, wts } from '../../support/command-line.js';
import { startService, type TestService } from '../../support/service.js';

const onboarding = join(import.meta.dirname, '../../../docs/examples/onboarding.yaml');

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

  /**
   * What a command does on the database of one workspace, and by HTTP on another that is alike: the same is written. `ID` in an
   * option is the id of the workspace.
   */
  async function both(yaml: string, name: string, ...options: readonly string[]): Promise<Ended> {
    const key = await service.key('far', 'admin');
    const at = ['--url', service.url, '--key', key];
    const isOfFile = name === 'plan' || name === 'apply';
    for (const id of ['near', 'far']) await writeFile(join(folder, `${id}.yaml`), demoAs(yaml, id));
    const command = (): ReturnType<typeof exportCommand> =>
      commandNamed(name, [...definitionCommands(), exportCommand(), rollbackCommand()]);
    const args = (id: string): string[] => [
      isOfFile ? `${id}.yaml` : id,
      ...options.map((option) => option.replace('ID', id)),
    ];
    const here = await wts(command(), args('near'), service.config.databaseUrl ?? '', folder);
    const nowhere = 'postgres://nobody@127.0.0.1:1/none';
    const there = await wts(command(), [...args('far'), ...at], nowhere, folder);
    const alike = (text: string): string => withoutWho(text.replaceAll('near', 'far'));
    expect({
      ...there,
      out: withoutWho(there.out),
      err: there.err.replace(/^service: http:.*\n/, ''),
    }).toEqual({
      ...here,
      out: alike(here.out),
      err: alike(here.err),
    });
    return there;
  }

  /** The history is of two times and authors. */
  const withoutWho = (text: string): string =>
    text
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
      .replaceAll(/key test \(key_\w+\): /g, '')
      .replaceAll(/^(VERSION.* BY) +/gm, '$1 ')
      .replaceAll(/(TIME +(?:\S+ )*\S+?) {2,}/g, '$1  ');

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

  describe('--base', () => {
    const hand = (yaml: string): string =>
      yaml.replace('name: Notes, type: longText', 'name: Notes, type: text');

    async function inForce(yaml: string): Promise<void> {
      for (const id of ['near', 'far']) {
        const source = readDefinition(demoAs(yaml, id), 'test.yaml');
        await applyDefinition(service.dataSource, source, { isPruning: true, allowsDataLoss: true });
        await writeFile(join(folder, `${id}-base.yaml`), demoAs(demo, id));
      }
    }

    it('applies where what is in force is what the base says', async () => {
      await inForce(demo);
      expect((await both(withMore(), 'apply', '--base', 'ID-base.yaml')).out).toContain(
        'applied to workspace far',
      );
      // A second time the file changes nothing, so it takes nothing back.
      const again = await both(withMore(), 'apply', '--base', 'ID-base.yaml');
      expect(again).toMatchObject({ code: 0, out: 'no changes: workspace far is up to date\n' });
    });

    it('else nothing is applied, and what was applied since is shown; plan warns of it', async () => {
      expect(hand(demo)).not.toBe(demo);
      await inForce(hand(demo));
      const before = await service.client(await service.key('far', 'admin')).get('/api/v1/definition');
      const stopped = await both(withMore(), 'apply', '--base', 'ID-base.yaml');
      expect(stopped).toMatchObject({ code: 1, out: '' });
      expect(stopped.err).toContain('differs from far-base.yaml. These changes would make it equal:\n  change field vendors / Notes (type from text to longText)\n'); // prettier-ignore
      expect(stopped.err).toMatch(/apply without --base, which reverts it\.\nNothing was applied\.\n$/);
      const after = await service.client(await service.key('far', 'admin')).get('/api/v1/definition');
      expect(after.headers['etag']).toBe(before.headers['etag']);
      const json = await both(withMore(), 'apply', '--base', 'ID-base.yaml', '--json');
      expect(JSON.parse(json.out)).toMatchObject({ errors: [{ message: expect.any(String) as string }] });
      const planned = await both(withMore(), 'plan', '--base', 'ID-base.yaml');
      expect([planned.code, planned.err]).toEqual([2, expect.stringContaining('differs from far-base.yaml')]);
      const drift = [{ kind: 'change', what: 'field', name: 'vendors / Notes' }];
      expect(JSON.parse((await both(withMore(), 'plan', '--base', 'ID-base.yaml', '--json')).out)).toMatchObject({ drift }); // prettier-ignore
    });

    it('says what a change takes out of the file, which stays; without a base, of a file that changes nothing', async () => {
      const kept = 'no changes: workspace far is up to date\nkept, although the file does not name it: field vendors / Tier; `--prune` removes it\n'; // prettier-ignore
      await inForce(withMore());
      for (const id of ['near', 'far'])
        await writeFile(join(folder, `${id}-base.yaml`), demoAs(withMore(), id));
      expect(await both(demo, 'plan', '--base', 'ID-base.yaml')).toMatchObject({ code: 0, out: kept });
      expect(await both(demo, 'plan')).toMatchObject({ code: 0, out: kept });
      await inForce(withMore());
      expect((await both(demo, 'apply', '--base', 'ID-base.yaml')).out).toContain('up to date');
    });

    it('a change between is told, and not overwritten', async () => {
      await inForce(demo);
      const key = await service.key('far', 'admin');
      await writeFile(join(folder, 'far.yaml'), demoAs(withMore(), 'far'));
      const proxy = createServer((request, response) => {
        const { url = '', method = 'GET', headers } = request;
        void (async () => {
          if (url.includes('/apply')) await service.apply(demoAs(hand(demo), 'far'));
          const sent = await text(request);
          const { authorization = '', 'content-type': type = '', 'if-match': tag = '*' } = headers;
          const given = { authorization, 'content-type': type, 'if-match': tag };
          const answer = await fetch(`${service.url}${url}`, { method, headers: given, body: sent });
          response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
          response.end(await answer.text());
        })();
      });
      await once(proxy.listen(0, '127.0.0.1'), 'listening');
      const there = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
      const args = ['far.yaml', '--base', 'far-base.yaml', '--url', there, '--key', key];
      const { code, err } = await wts(commandNamed('apply', definitionCommands()), args, '', folder);
      proxy.close();
      // So that both workspaces have one history.
      await service.apply(demoAs(hand(demo), 'near'));
      expect([code, err.replace(/^service: .*\n/, '')]).toEqual([
        1,
        'Somebody else has just applied a change, so nothing was applied. Run the command again.\n',
      ]);
    });
  });

  it('history shows the same, with the key in front of who has applied', async () => {
    const { out } = await both('', 'history');
    expect(out).toMatch(/^VERSION +APPLIED +BY +CHANGES\n\d+ +\S+Z +/);
    expect(out).toMatch(/key test \(key_\w+\): mina/);
    expect((await both('', 'history', '--of', '2')).out).toMatch(
      /^version 2, applied by key test \(key_\w+\): mina at /,
    );
    expect((await both('', 'history', '--of', '99')).err).toContain('has no version 99');
    const there = JSON.parse((await both('', 'history', '--json')).out) as object[];
    expect(there.at(-1)).toMatchObject({ version: 1, changes: expect.any(Array) as object[] });
  });

  it('rollback does the same, and --dry-run of it', async () => {
    await both(demo, 'apply', '--prune', '--allow-data-loss');
    await both(withMore(), 'apply', '--author', 'ines');
    const { out } = await both('', 'history');
    const [, version = ''] = /^(\d+) +\S+ +key test \(key_\w+\): ines/m.exec(out) ?? [];
    const to = String(Number(version) - 1);
    const dry = await both('', 'rollback', '--to', to, '--dry-run');
    expect([dry.code, dry.out]).toEqual([2, expect.stringContaining('- remove  field  vendors / Tier')]);
    expect((await both('', 'rollback', '--to', to)).out).toContain('applied to workspace far: version ');
    expect((await both('', 'rollback', '--to', to, '--json')).code).toBe(0);
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
      '--url needs a key of scope admin: give it as WTS_KEY, or by --key\n',
    );
    expect(await told('--url', service.url, '--key', writer)).toMatch(
      /^URL answers 403: This request needs a key of scope admin/,
    );
    expect(await told('--url', service.url, '--key', 'x')).toMatch(/^URL answers 401: /);
    expect(await told('near', '--url', service.url, '--key', admin)).toBe(
      'The key belongs to workspace far, not to near.\n',
    );
    expect(await told('--url', 'http://127.0.0.1:1', '--key', admin)).toMatch(
      /^http:\/\/127\.0\.0\.1:1 cannot be reached: /,
    );
    expect(await told()).toBe('Which workspace? See: wts workspace list\n');
  });
});
