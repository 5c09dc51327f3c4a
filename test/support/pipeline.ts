import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parse } from 'yaml';
import { launch } from './launch.js';
import { served } from './served.js';

const deploy = join(import.meta.dirname, '../../deploy');
const actionFolder = join(deploy, 'github-action');
export const note = '{ name: Note, type: text }';
export const tier = '{ name: Tier, type: text }';

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
type Jobs = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** A service, a forge and, for each test, a workspace and a clone of the repository that holds its definition. */
export function pipelineOfFile() {
  const { service } = served([]);
  const state = {
    service,
    key: '',
    /** The comments of the one change that there is. */
    comments: [] as { id: number; body: string }[],
    /** What the forge was asked. */
    asked: [] as string[],
    acme: '',
    folder: '',
  };
  let forge: Server;
  let count = 0;

  const document = (fields = note, more = ''): string => `
workspace: { id: ${state.acme} }
workflows:
  - { id: things, name: Things, stages: [{ name: New }, { name: Done, end: true }], fields: [{ name: ID, type: uniqueId }, ${fields}]${more} }
`;

  /** Keeps one comment of the pipeline, beside those of others; answers a status and a body. */
  function answerAsForge(method: string, url: string, body: string): [number, unknown] {
    state.asked.push(`${method} ${url}`);
    const from = (Number(new URL(url, 'http://x').searchParams.get('page') ?? 1) - 1) * 100;
    if (method === 'GET') return [200, state.comments.slice(from, from + 100)];
    const { body: comment } = JSON.parse(body) as { body: string };
    if (comment.length > 65_536) return [422, { message: 'body is too long' }];
    const others = method === 'POST' ? state.comments : state.comments.filter(({ id }) => id !== 5);
    state.comments = [...others, { id: 5, body: comment }];
    return [200, {}];
  }

  beforeAll(async () => {
    forge = createServer((request, response) => {
      void text(request).then((body) => {
        const [status, answer] = answerAsForge(request.method ?? '', request.url ?? '', body);
        response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer));
      });
    });
    await once(forge.listen(0, '127.0.0.1'), 'listening');
  });
  beforeEach(async () => {
    Object.assign(state, { comments: [], asked: [], acme: `acme-${(count += 1)}` });
    await service.apply(document());
    state.key = await service.key(state.acme, 'admin');
    state.folder = await mkdtemp(join(tmpdir(), 'wts-pipeline-'));
    git('init', '-q', '-b', 'main');
    await commit(document());
  });
  afterEach(() => rm(state.folder, { recursive: true }));
  afterAll(() => forge.close());

  function git(...args: readonly string[]): string {
    const who = ['-c', 'user.name=mina', '-c', 'user.email=mina@x.test'];
    return execFileSync('git', [...who, ...args], { cwd: state.folder, encoding: 'utf8' }).trim();
  }

  /** Commits the definition, as a merge would, or the merge commit of a pull request. */
  async function commit(yaml: string): Promise<void> {
    await writeFile(join(state.folder, 'acme.yaml'), yaml);
    git('add', '.');
    git('commit', '-q', '--allow-empty', '-m', 'change');
  }

  async function run(shell: string, script: string, environment: Environment): Promise<Ran> {
    const options = shell === 'bash' ? ['--noprofile', '--norc'] : [];
    const { port } = forge.address() as AddressInfo;
    const forgeUrl = `http://127.0.0.1:${port}`;
    const { exit, out, err } = launch([shell, ...options, '-e', '-c', script], {
      cwd: state.folder,
      env: { PATH: process.env['PATH'], GITHUB_API_URL: forgeUrl, CI_API_V4_URL: forgeUrl, ...environment },
    });
    return { code: Number(await exit), out: out(), err: err() };
  }

  const summary = (): Promise<string> => readFile(join(state.folder, '.git/summary.md'), 'utf8');

  /** Runs the step of the action as a runner would, which fills in its inputs. */
  async function action(inputs: Environment, event: object = { pull_request: { number: 7 } }): Promise<Ran> {
    const { inputs: known, runs } = parse(await readFile(join(actionFolder, 'action.yml'), 'utf8')) as Action;
    expect(Object.keys(known)).toEqual(expect.arrayContaining(Object.keys(inputs)));
    const [{ env, run: script }] = runs.steps;
    const filled = Object.entries(env).map(([name, value]) => {
      const input = /^\$\{\{ inputs\.([a-z]+) \}\}$/.exec(value)?.[1] ?? '';
      expect(Object.keys(known)).toContain(input);
      return [name, inputs[input] ?? known[input]?.default ?? ''];
    });
    await writeFile(join(state.folder, '.git/event.json'), JSON.stringify(event));
    return run('bash', script, {
      ...(Object.fromEntries(filled) as Environment),
      GITHUB_ACTIONS: 'true',
      GITHUB_ACTOR: 'mina',
      GITHUB_SHA: git('rev-parse', 'HEAD'),
      GITHUB_EVENT_NAME: 'pull_request' in event ? 'pull_request' : 'push',
      GITHUB_ACTION_PATH: actionFolder,
      GITHUB_REPOSITORY: 'acme/workflows',
      GITHUB_EVENT_PATH: join(state.folder, '.git/event.json'),
      GITHUB_STEP_SUMMARY: join(state.folder, '.git/summary.md'),
    });
  }

  const given = (): Environment => ({ url: service.url, key: state.key, file: 'acme.yaml' });
  const plan = (options = '', more: Environment = {}): Promise<Ran> =>
    action({ ...given(), options, ...more });
  const merge = (): Promise<Ran> =>
    action({ ...given(), command: 'apply' }, { ref: 'refs/heads/main', before: git('rev-parse', 'HEAD^') });

  /** Runs the script of a job as GitLab would, with the variables of the file. */
  async function job(name: string, more: Environment): Promise<Ran> {
    const { variables, ...jobs } = parse(await readFile(join(deploy, 'gitlab-ci.yml'), 'utf8')) as Jobs;
    const script = (jobs[name]?.['script'] as string[]).join('\n');
    return run('sh', script, {
      ...(variables as Environment),
      WTS_FILE: 'acme.yaml',
      WTS_SCRIPT: join(deploy, 'definition.mjs'),
      WTS_URL: service.url,
      WTS_KEY: state.key,
      GITLAB_CI: 'true',
      GITLAB_TOKEN: 'secret',
      GITLAB_USER_LOGIN: 'theo',
      CI_COMMIT_SHA: git('rev-parse', 'HEAD'),
      CI_PROJECT_ID: '3',
      ...more,
    });
  }

  const author = async (): Promise<string> => {
    const [version] = await service
      .client(state.key)
      .read<{ applied_by: string }[]>('/api/v1/definition/history');
    return version?.applied_by ?? '';
  };

  return { state, document, git, commit, summary, plan, merge, job, author };
}
