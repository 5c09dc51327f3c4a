import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parse } from 'yaml';
import { startService, type TestService } from '../support/service.js';

const deploy = join(import.meta.dirname, '../../deploy');

const document = (fields = '{ name: Note, type: text }'): string => `
workspace: { id: acme }
workflows:
  - { id: things, name: Things, stages: [{ name: New }], fields: [{ name: ID, type: uniqueId }, ${fields}] }
`;

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default?: string }>>;
  readonly runs: {
    readonly steps: readonly [{ readonly env: Readonly<Record<string, string>>; readonly run: string }];
  };
}

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

type Environment = Readonly<Record<string, string>>;

describe('a definition in a pipeline', () => {
  let service: TestService;
  let folder: string;
  let key: string;
  let forge: Server;
  let forgeUrl: string;
  /** The comments of the one change that there is, and how each was written. */
  let comments: { id: number; body: string }[];
  let asked: string[];

  beforeAll(async () => {
    service = await startService();
    await service.apply(document());
    key = await service.key('acme', 'admin');
    folder = await mkdtemp(join(tmpdir(), 'wts-pipeline-'));
    await writeFile(join(folder, 'event.json'), JSON.stringify({ pull_request: { number: 7 } }));
    forge = createServer((request, response) => {
      void text(request).then((body) => {
        const { method = '', url = '' } = request;
        asked.push(`${method} ${url}`);
        const sent = body && (JSON.parse(body) as { body: string }).body;
        if (method === 'POST') comments.push({ id: 5, body: sent });
        else if (method !== 'GET') comments = [{ id: 5, body: sent }];
        response.setHeader('Content-Type', 'application/json').end(JSON.stringify(comments));
      });
    });
    await new Promise<void>((resolve) => void forge.listen(0, '127.0.0.1', resolve));
    forgeUrl = `http://127.0.0.1:${(forge.address() as AddressInfo).port}`;
  });
  beforeEach(() => {
    comments = [];
    asked = [];
  });
  afterAll(async () => {
    forge.close();
    await service.stop();
    await rm(folder, { recursive: true });
  });

  function run(shell: string, script: string, environment: Environment): Promise<Ran> {
    const env = { PATH: process.env['PATH'], ...environment };
    return new Promise((resolve) => {
      execFile(shell, ['-e', '-c', script], { cwd: folder, env }, (error, out, err) => {
        resolve({ code: Number(error?.code ?? 0), out, err });
      });
    });
  }

  /** Runs the step of the action as a runner would, which fills in its inputs. */
  async function action(inputs: Environment): Promise<Ran> {
    const { inputs: known, runs } = parse(
      await readFile(join(deploy, 'github-action/action.yml'), 'utf8'),
    ) as Action;
    expect(Object.keys(known)).toEqual(expect.arrayContaining(Object.keys(inputs)));
    const [{ env, run: script }] = runs.steps;
    const filled = Object.entries(env).map(([name, value]) => {
      const input = /^\$\{\{ inputs\.([a-z]+) \}\}$/.exec(value)?.[1] ?? '';
      expect(Object.keys(known)).toContain(input);
      return [name, inputs[input] ?? known[input]?.default ?? ''];
    });
    return run('bash', script, {
      ...(Object.fromEntries(filled) as Environment),
      GITHUB_ACTION_PATH: join(deploy, 'github-action'),
      GITHUB_API_URL: forgeUrl,
      GITHUB_REPOSITORY: 'acme/workflows',
      GITHUB_EVENT_PATH: join(folder, 'event.json'),
    });
  }

  /** Runs the script of a job as GitLab would, with the variables of the file. */
  async function job(name: string, more: Environment): Promise<Ran> {
    const file = parse(await readFile(join(deploy, 'gitlab-ci.yml'), 'utf8')) as Record<
      string,
      { script: string[] }
    >;
    const variables = file['variables'] as unknown as Environment;
    const script = (file[name]?.script ?? []).join('\n');
    return run('sh', script, {
      ...variables,
      WTS_SCRIPT: join(deploy, 'definition.mjs'),
      WTS_URL: service.url,
      WTS_KEY: key,
      GITLAB_CI: 'true',
      GITLAB_TOKEN: 'secret',
      CI_API_V4_URL: forgeUrl,
      CI_PROJECT_ID: '3',
      ...more,
    });
  }

  const given = (): Environment => ({ url: service.url, key, file: 'acme.yaml' });
  const write = (yaml: string): Promise<void> => writeFile(join(folder, 'acme.yaml'), yaml);

  it('the action shows a plan as a comment on the pull request, and a later one in its place', async () => {
    await write(document('{ name: Note, type: text }, { name: "Ri``sk", type: text }'));
    const first = await action(given());
    expect(first.code).toBe(0);
    expect(first.out).toBe(`**acme.yaml** would apply to workspace acme (version 1): 1 change

\`\`\`diff
+ add field things / Ri\`\`sk
\`\`\`
`);
    expect(comments).toEqual([{ id: 5, body: `<!-- definition acme.yaml -->\n${first.out.trimEnd()}` }]);
    await write(document('{ name: Note, type: text }, { name: Tier, type: text }'));
    expect((await action(given())).code).toBe(0);
    const comment = '/repos/acme/workflows/issues';
    expect(asked).toEqual([
      `GET ${comment}/7/comments?per_page=100`,
      `POST ${comment}/7/comments`,
      `GET ${comment}/7/comments?per_page=100`,
      `PATCH ${comment}/comments/5`,
    ]);
    expect(comments[0]?.body).toContain('Tier');
  });

  it('the action applies on merge; a second time there is nothing to do', async () => {
    await write(document('{ name: Note, type: text }, { name: Tier, type: text }'));
    await writeFile(join(folder, 'event.json'), JSON.stringify({ ref: 'refs/heads/main' }));
    const { code, out } = await action({ ...given(), command: 'apply' });
    expect([code, out]).toEqual([
      0,
      expect.stringContaining('applied to workspace acme (version 2): 1 change'),
    ]);
    expect((await action({ ...given(), command: 'apply' })).out).toContain('no changes');
    expect(asked).toEqual([]);
    await writeFile(join(folder, 'event.json'), JSON.stringify({ pull_request: { number: 7 } }));
  });

  it('fails where the file is wrong, where it would lose something, and where the service cannot be asked', async () => {
    await write(document('{ name: Note, type: txt }'));
    const wrong = await action(given());
    expect([wrong.code, wrong.out]).toEqual([
      1,
      expect.stringContaining('acme.yaml:4: workflows[0].fields[1].type: '),
    ]);
    expect(comments[0]?.body).toContain('is refused');
    await service.client(key).post('/api/v1/workflows/things/tasks', { ID: 'T-1', Note: 'x' }).expect(201);
    await write(document('{ name: Tier, type: text }'));
    for (const command of ['plan', 'apply']) {
      const { code, out } = await action({ ...given(), command, options: '--prune' });
      expect([code, out]).toEqual([1, expect.stringMatching(/\*\*Refused\*\*[^]*field things \/ Note: 1 /)]);
    }
    expect((await action({ ...given(), key: 'x' })).code).toBe(1);
  });

  it('the jobs of GitLab do the same on a merge request', async () => {
    await writeFile(
      join(folder, 'definition.yaml'),
      document('{ name: Note, type: text }, { name: Level, type: text }'),
    );
    const merge = { CI_MERGE_REQUEST_IID: '9' };
    expect((await job('plan-definition', merge)).out).toContain('+ add field things / Level');
    expect((await job('plan-definition', merge)).code).toBe(0);
    const notes = '/projects/3/merge_requests/9/notes';
    expect(asked).toEqual([
      `GET ${notes}?per_page=100`,
      `POST ${notes}`,
      `GET ${notes}?per_page=100`,
      `PUT ${notes}/5`,
    ]);
    const { code, out } = await job('apply-definition', {});
    expect([code, out]).toEqual([0, expect.stringContaining('applied to workspace acme')]);
  });
});
