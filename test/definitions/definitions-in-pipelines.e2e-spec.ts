import { execFile, execFileSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parse } from 'yaml';
import { startService, type TestService } from '../support/service.js';

const deploy = join(import.meta.dirname, '../../deploy');
const note = '{ name: Note, type: text }';
const tier = '{ name: Tier, type: text }';

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
  let key: string;
  let forge: Server;
  let forgeUrl: string;
  /** The comments of the one change that there is, and how each was written. */
  let comments: { id: number; body: string }[];
  let asked: string[];
  /** What the forge answers instead, where that is not a success. */
  let refusal: number | undefined;
  // Each test has a workspace, and a clone of the repository that holds its definition.
  let acme = '';
  let folder: string;
  let count = 0;

  const document = (fields = note, more = ''): string => `
workspace: { id: ${acme} }
workflows:
  - { id: things, name: Things, stages: [{ name: New }, { name: Done, end: true }], fields: [{ name: ID, type: uniqueId }, ${fields}]${more} }
`;

  beforeAll(async () => {
    service = await startService();
    forge = createServer((request, response) => {
      void text(request).then((body) => {
        const { method = '', url = '' } = request;
        asked.push(`${method} ${url}`);
        const sent = body && (JSON.parse(body) as { body: string }).body;
        const page = Number(new URL(url, 'http://x').searchParams.get('page') ?? 1);
        response.setHeader('Content-Type', 'application/json');
        if (method === 'GET') {
          response.end(JSON.stringify(comments.slice((page - 1) * 100, page * 100)));
          return;
        }
        if (refusal !== undefined || sent.length > 65_536) {
          response.writeHead(refusal ?? 422).end(JSON.stringify({ message: 'Resource not accessible' }));
          return;
        }
        if (method === 'POST') comments.push({ id: 5, body: sent });
        else comments = [...comments.filter(({ id }) => id !== 5), { id: 5, body: sent }];
        response.end('{}');
      });
    });
    await new Promise<void>((resolve) => void forge.listen(0, '127.0.0.1', resolve));
    forgeUrl = `http://127.0.0.1:${(forge.address() as AddressInfo).port}`;
  });
  beforeEach(async () => {
    comments = [];
    asked = [];
    refusal = undefined;
    acme = `acme-${(count += 1)}`;
    await service.apply(document());
    key = await service.key(acme, 'admin');
    folder = await mkdtemp(join(tmpdir(), 'wts-pipeline-'));
    git('init', '-q', '-b', 'main');
    await commit(document());
  });
  afterEach(() => rm(folder, { recursive: true }));
  afterAll(async () => {
    forge.close();
    await service.stop();
  });

  function git(...args: readonly string[]): string {
    const who = ['-c', 'user.name=mina', '-c', 'user.email=mina@x.test'];
    return execFileSync('git', [...who, ...args], { cwd: folder, encoding: 'utf8' }).trim();
  }

  /** Commits the definition, as a merge would, or the merge commit of a pull request. */
  async function commit(yaml: string): Promise<void> {
    await writeFile(join(folder, 'acme.yaml'), yaml);
    git('add', '.');
    git('commit', '-q', '--allow-empty', '-m', 'change');
  }

  function run(shell: string, script: string, environment: Environment): Promise<Ran> {
    const env = { PATH: process.env['PATH'], ...environment };
    return new Promise((resolve) => {
      execFile(
        shell,
        [...(shell === 'bash' ? ['--noprofile', '--norc'] : []), '-e', '-c', script],
        { cwd: folder, env },
        (error, out, err) => {
          resolve({ code: Number(error?.code ?? 0), out, err });
        },
      );
    });
  }

  const summary = (): Promise<string> => readFile(join(folder, '.git/summary.md'), 'utf8');

  /** Runs the step of the action as a runner would, which fills in its inputs. */
  async function action(
    { at = join(deploy, 'github-action'), ...inputs }: Environment,
    event: object = { pull_request: { number: 7 } },
    more: Environment = {},
  ): Promise<Ran> {
    const { inputs: known, runs } = parse(await readFile(join(at, 'action.yml'), 'utf8')) as Action;
    expect(Object.keys(known)).toEqual(expect.arrayContaining(Object.keys(inputs)));
    const [{ env, run: script }] = runs.steps;
    const filled = Object.entries(env).map(([name, value]) => {
      const input = /^\$\{\{ inputs\.([a-z]+) \}\}$/.exec(value)?.[1] ?? '';
      expect(Object.keys(known)).toContain(input);
      return [name, inputs[input] ?? known[input]?.default ?? ''];
    });
    await writeFile(join(folder, '.git/event.json'), JSON.stringify(event));
    return run('bash', script, {
      ...(Object.fromEntries(filled) as Environment),
      GITHUB_ACTIONS: 'true',
      GITHUB_ACTOR: 'mina',
      GITHUB_SHA: git('rev-parse', 'HEAD'),
      GITHUB_EVENT_NAME: 'pull_request' in event ? 'pull_request' : 'push',
      GITHUB_ACTION_PATH: at,
      GITHUB_API_URL: forgeUrl,
      GITHUB_REPOSITORY: 'acme/workflows',
      GITHUB_EVENT_PATH: join(folder, '.git/event.json'),
      GITHUB_STEP_SUMMARY: join(folder, '.git/summary.md'),
      ...more,
    });
  }

  const given = (): Environment => ({ url: service.url, key, file: 'acme.yaml' });
  const plan = (options = '', more: Environment = {}): Promise<Ran> =>
    action({ ...given(), options, ...more });
  const merge = (options = ''): Promise<Ran> =>
    action(
      { ...given(), command: 'apply', options },
      { ref: 'refs/heads/main', before: git('rev-parse', 'HEAD^') },
    );

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
      WTS_FILE: 'acme.yaml',
      WTS_SCRIPT: join(deploy, 'definition.mjs'),
      WTS_URL: service.url,
      WTS_KEY: key,
      GITLAB_CI: 'true',
      GITLAB_TOKEN: 'secret',
      GITLAB_USER_LOGIN: 'theo',
      CI_COMMIT_SHA: git('rev-parse', 'HEAD'),
      CI_API_V4_URL: forgeUrl,
      CI_PROJECT_ID: '3',
      ...more,
    });
  }

  const author = async (): Promise<string> => {
    const [version] = (await service.client(key).get('/api/v1/definition/history').expect(200)).body as {
      applied_by: string;
    }[];
    return version?.applied_by ?? '';
  };

  it('the action shows a plan as a comment on the pull request, and a later one in its place', async () => {
    await commit(document(`${note}, { name: "Ri\`\`sk", type: text }`));
    const first = await plan();
    expect([first.code, first.err]).toEqual([0, '']);
    expect(first.out).toBe(`**acme.yaml** would apply to workspace ${acme} (version 1): 1 change

\`\`\`diff
+ add field things / Ri\`\`sk
\`\`\`
`);
    expect(comments).toEqual([{ id: 5, body: `<!-- definition acme.yaml -->\n${first.out.trimEnd()}` }]);
    expect(await summary()).toBe(first.out);
    await commit(document(`${note}, ${tier}`));
    expect((await plan()).code).toBe(0);
    const issues = '/repos/acme/workflows/issues';
    expect(asked).toEqual([
      `GET ${issues}/7/comments?per_page=100&page=1`,
      `POST ${issues}/7/comments`,
      `GET ${issues}/7/comments?per_page=100&page=1`,
      `PATCH ${issues}/comments/5`,
    ]);
    expect(comments[0]?.body).toContain('Tier');
  });

  it('shows what changes within, what moves, what is renamed and what is removed', async () => {
    const actions = ', actions: [{ id: close, name: Close, steps: [{ name: Close, type: move_to_stage, stage: Done }] }]'; // prettier-ignore
    await service.apply(document(`${note}, ${tier}`, actions));
    await commit(document(`${note}, ${tier}`, actions));
    await commit(
      document('{ name: Level, was: Tier, type: longText }', actions.replace('stage: Done', 'stage: New')),
    );
    const expected = [
      '- remove field things / Note',
      '! rename field things / Tier to Level',
      '! change field things / Level type from text to longText',
      '#   type: "text" → "longText"',
      '! change action things / close steps',
      '#   steps["Close"].stage: "Done" → "New"',
    ];
    for (const ran of [await plan('--prune'), await merge('--prune')]) {
      expect([ran.code, ran.err]).toEqual([0, '']);
      for (const line of expected) expect(ran.out.split('\n')).toContain(line);
    }
    await commit(document(`{ name: More, type: text }, { name: Level, type: longText }`));
    await service.apply(document('{ name: Level, type: longText }, { name: More, type: text }'));
    expect((await plan('--no-base')).out).toContain('! change workflow things order of fields');
  });

  it('the action applies on merge, in the name of who merged; a second time there is nothing to do', async () => {
    await commit(document(`${note}, ${tier}`));
    const { code, out } = await merge();
    expect([code, out]).toEqual([
      0,
      expect.stringContaining(`applied to workspace ${acme} (version 2): 1 change`),
    ]);
    expect(await author()).toMatch(
      new RegExp(`^key test \\(key_\\w+\\): mina by ${git('rev-parse', 'HEAD').slice(0, 12)}$`),
    );
    expect(await summary()).toBe(out);
    const again = await merge();
    expect([again.code, again.out]).toEqual([0, expect.stringContaining('no changes')]);
    expect(asked).toEqual([]);
  });

  describe('drift', () => {
    const byHand = (): Promise<unknown> => service.apply(document('{ name: Note, type: longText }'));
    const said = `**Drift**: the definition in force (version 2) differs from acme.yaml of `;
    const line = '! change field things / Note type from longText to text';

    it('what somebody has applied by hand is told by the plan, and stops the apply, until it is in the file', async () => {
      await byHand();
      await commit(document(`${note}, ${tier}`));
      const planned = await plan();
      expect([planned.code, planned.out]).toEqual([0, expect.stringContaining(said)]);
      expect(comments[0]?.body).toContain(said);
      const stopped = await merge();
      expect([stopped.code, stopped.out]).toEqual([
        1,
        expect.stringMatching(/^\*\*acme.yaml\*\* is not applied\n/),
      ]);
      expect(stopped.out).toContain(said);
      expect(stopped.out).toContain(line);
      await service.client(key).get('/api/v1/definition').expect('ETag', '"2"');
      await commit(document('{ name: Note, type: longText }'));
      expect(await merge()).toMatchObject({ code: 0, out: expect.stringContaining('no changes') as string });
      await commit(document(`{ name: Note, type: longText }, ${tier}`));
      expect((await merge()).code).toBe(0);
    });

    it('--no-base applies all the same', async () => {
      await byHand();
      await commit(document(`${note}, ${tier}`));
      expect(await merge('--no-base')).toMatchObject({
        code: 0,
        out: expect.stringContaining(line) as string,
      });
    });

    it('a file that is new has nothing to be compared with', async () => {
      await writeFile(join(folder, 'new.yaml'), document(`${note}, ${tier}`));
      await commit(document());
      const inputs = { ...given(), file: 'new.yaml', command: 'apply' };
      const push = { before: git('rev-parse', 'HEAD^') };
      expect((await action(inputs, push)).out).toContain('applied to workspace');
    });

    it('a shallow clone gets the commit before; without any, that is said', async () => {
      await commit(document(`${note}, ${tier}`));
      const full = folder;
      folder = await mkdtemp(join(tmpdir(), 'wts-shallow-'));
      git('clone', '-q', '--depth=1', `file://${full}`, '.');
      await rm(full, { recursive: true });
      const { code, out } = await plan();
      expect([code, out]).toEqual([1, expect.stringContaining('Check out with fetch-depth: 2')]);
    });
  });

  it('says what the change takes out of the file and stays', async () => {
    await service.apply(document(`${note}, ${tier}, { name: More, type: text }`));
    await commit(document(`${note}, ${tier}`));
    await commit(document(note));
    const { code, out } = await plan();
    expect([code, out]).toEqual([0, expect.stringContaining('no changes')]);
    expect(out).toContain('Kept, although the file does not name it (`--prune` removes it):\n\n```\nfield things / Tier\n```'); // prettier-ignore
  });

  it('draws circles of rules', async () => {
    const rules = ', actions: [{ id: again, name: Again, steps: [{ name: Set, type: update_fields, set: { Note: x } }] }], rules: [{ id: again, on: field_changed, field: Note, run: again }]'; // prettier-ignore
    await commit(document(note, rules));
    const { code, out } = await plan();
    expect([code, out]).toEqual([0, expect.stringContaining('↻ possible circle: things / again → things / again')]); // prettier-ignore
  });

  it('fails where the file is wrong, and where it would lose something', async () => {
    await commit(document('{ name: Note, type: txt }'));
    const wrong = await plan();
    expect([wrong.code, wrong.out]).toEqual([
      1,
      expect.stringContaining('acme.yaml:4: workflows[0].fields[1].type: '),
    ]);
    expect(comments[0]?.body).toContain('is refused');
    await service.client(key).post('/api/v1/workflows/things/tasks', { ID: 'T-1', Note: 'x' }).expect(201);
    await commit(document(tier));
    for (const ran of [await plan('--prune --no-base'), await merge('--prune --no-base')]) {
      expect([ran.code, ran.out]).toEqual([
        1,
        expect.stringMatching(/\*\*Refused\*\*[^]*field things \/ Note: 1 /),
      ]);
      expect(ran.out).not.toMatch(/would apply|applied to/);
    }
  });

  it('every other failure is one clear line, and takes the place of the plan in the comment', async () => {
    await commit(document(`${note}, ${tier}`));
    expect((await plan()).code).toBe(0);
    const failures: [Environment, RegExp][] = [
      [{ key: 'x' }, /answers 401: A valid API key is required/],
      [
        { url: 'http://127.0.0.1:1' },
        /http:\/\/127\.0\.0\.1:1\/api\/v1\/definition\/plan cannot be reached: /,
      ],
      [{ file: 'none.yaml' }, /none\.yaml cannot be read: ENOENT/],
    ];
    for (const [inputs, reason] of failures) {
      const { code, out, err } = await plan('', inputs);
      expect([code, out, err]).toEqual([1, expect.stringMatching(reason), '']);
      expect(out).toContain('could not be planned');
      expect(comments.at(-1)?.body.replace(/^.*\n/, '')).toBe(out.trimEnd());
    }
    for (const options of ['--pruned', 'more.yaml', '--prune=yes']) {
      const { code, out, err } = await plan(options);
      expect([code, out, err.split('\n').length]).toEqual([1, '', 2]);
      expect(err).toContain('Usage: node definition.mjs plan|apply FILE');
    }
  });

  it('a plan that cannot be commented on is no bad plan', async () => {
    refusal = 403;
    await commit(document(`${note}, ${tier}`));
    const { code, out, err } = await plan();
    expect([code, err]).toEqual([
      0,
      expect.stringMatching(/^The comment cannot be written: .* answers 403: Resource not accessible\n$/),
    ]);
    expect(await summary()).toBe(out);
  });

  it('finds its comment behind more than 100 others, and cuts what is too long for one', async () => {
    comments = Array.from({ length: 230 }, (_, at) => ({ id: 1000 + at, body: 'Nice' }));
    comments[220] = { id: 5, body: '<!-- definition acme.yaml -->\nold' };
    const options = Array.from({ length: 1000 }, (_, at) => `{ name: "Field ${at} ${'x'.repeat(80)}", type: text }`); // prettier-ignore
    await commit(document([note, ...options.slice(0, 900)].join(', ')));
    const { code, out } = await plan('--no-base');
    expect([code, asked.at(-1)]).toEqual([0, 'PATCH /repos/acme/workflows/issues/comments/5']);
    const { body = '' } = comments.at(-1) ?? {};
    expect(out.length).toBeGreaterThan(90_000);
    expect(body.length).toBeLessThanOrEqual(60_000);
    expect(body).toMatch(/\n```\n\nThe text is too long for this place and was cut here; .*$/);
  });

  it('a pull request of a fork, which is given no secrets, is told so and is not red', async () => {
    await commit(document(`${note}, ${tier}`));
    const pull = (name: string): object => ({
      pull_request: {
        number: 7,
        head: { repo: { full_name: name } },
        base: { repo: { full_name: 'acme/workflows' } },
      },
    });
    const without = { ...given(), key: '', token: '' };
    const fork = await action(without, pull('stranger/workflows'));
    expect([fork.code, fork.out]).toEqual([0, expect.stringContaining('this run has no secrets, as pull requests of forks have none: WTS_KEY is missing')]); // prettier-ignore
    const own = await action(without, pull('acme/workflows'));
    expect([own.code, own.out]).toEqual([1, expect.stringContaining('Set WTS_KEY')]);
    expect((await action({ ...without, command: 'apply' }, { before: '' })).code).toBe(1);
  });

  it('is copied as one folder', async () => {
    const at = join(folder, '.git/copy');
    await mkdir(at);
    await cp(join(deploy, 'github-action/action.yml'), join(at, 'action.yml'));
    await cp(join(deploy, 'definition.mjs'), join(at, 'definition.mjs'));
    expect((await plan('', { at })).code).toBe(0);
  });

  it('the jobs of GitLab do the same on a merge request', async () => {
    const origin = await mkdtemp(join(tmpdir(), 'wts-origin-'));
    git('clone', '-q', '--bare', folder, origin);
    git('remote', 'add', 'origin', origin);
    await commit(document(`${note}, { name: Level, type: text }`));
    const request = { CI_MERGE_REQUEST_IID: '9', CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'main' };
    expect((await job('plan-definition', request)).out).toContain('+ add field things / Level');
    expect((await job('plan-definition', request)).code).toBe(0);
    const notes = '/projects/3/merge_requests/9/notes';
    expect(asked).toEqual([
      `GET ${notes}?per_page=100&page=1`,
      `POST ${notes}`,
      `GET ${notes}?per_page=100&page=1`,
      `PUT ${notes}/5`,
    ]);
    const pushed = { CI_COMMIT_BEFORE_SHA: git('rev-parse', 'HEAD^') };
    const { code, out } = await job('apply-definition', pushed);
    expect([code, out]).toEqual([0, expect.stringContaining('applied to workspace')]);
    expect(await author()).toContain('): theo by ');
    await service.apply(document(`${note}, { name: Level, type: longText }`));
    await commit(document(`${note}, { name: Level, type: text }, ${tier}`));
    const stopped = await job('apply-definition', { CI_COMMIT_BEFORE_SHA: git('rev-parse', 'HEAD^') });
    expect([stopped.code, stopped.out]).toEqual([1, expect.stringContaining('**Drift**')]);
    const fork = { ...request, CI_MERGE_REQUEST_SOURCE_PROJECT_ID: '4', WTS_KEY: '' };
    expect(await job('plan-definition', fork)).toMatchObject({
      code: 0,
      out: expect.stringContaining('this run has no secrets') as string,
    });
    await rm(origin, { recursive: true });
  });
});
