import { execFile, execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parse } from 'yaml';
import { startService, type TestService } from './service.js';

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

interface State {
  readonly service: TestService;
  key: string;
  /** The comments of the one change that there is. */
  comments: { id: number; body: string }[];
  /** What the forge was asked. */
  asked: string[];
  /** What the forge answers instead, where that is not a success. */
  refusal: number | undefined;
  acme: string;
  folder: string;
}

/** A service, a forge and, for each test, a workspace and a clone of the repository that holds its definition. */
export function pipelineOfFile() {
  let service: TestService;
  const state: State = {
    get service() {
      return service;
    },
    key: '',
    comments: [],
    asked: [],
    refusal: undefined,
    acme: '',
    folder: '',
  };
  let forge: Server;
  let forgeUrl: string;
  let count = 0;

  const document = (fields = note, more = ''): string => `
workspace: { id: ${state.acme} }
workflows:
  - { id: things, name: Things, stages: [{ name: New }, { name: Done, end: true }], fields: [{ name: ID, type: uniqueId }, ${fields}]${more} }
`;

  beforeAll(async () => {
    service = await startService();
    forge = createServer((request, response) => {
      void text(request).then((body) => {
        const { method = '', url = '' } = request;
        state.asked.push(`${method} ${url}`);
        const sent = body && (JSON.parse(body) as { body: string }).body;
        const page = Number(new URL(url, 'http://x').searchParams.get('page') ?? 1);
        response.setHeader('Content-Type', 'application/json');
        if (method === 'GET') {
          response.end(JSON.stringify(state.comments.slice((page - 1) * 100, page * 100)));
          return;
        }
        if (state.refusal !== undefined || sent.length > 65_536) {
          response
            .writeHead(state.refusal ?? 422)
            .end(JSON.stringify({ message: 'Resource not accessible' }));
          return;
        }
        if (method === 'POST') state.comments.push({ id: 5, body: sent });
        else state.comments = [...state.comments.filter(({ id }) => id !== 5), { id: 5, body: sent }];
        response.end('{}');
      });
    });
    await new Promise<void>((resolve) => void forge.listen(0, '127.0.0.1', resolve));
    forgeUrl = `http://127.0.0.1:${(forge.address() as AddressInfo).port}`;
  });
  beforeEach(async () => {
    state.comments = [];
    state.asked = [];
    state.refusal = undefined;
    state.acme = `acme-${(count += 1)}`;
    await state.service.apply(document());
    state.key = await state.service.key(state.acme, 'admin');
    state.folder = await mkdtemp(join(tmpdir(), 'wts-pipeline-'));
    git('init', '-q', '-b', 'main');
    await commit(document());
  });
  afterEach(() => rm(state.folder, { recursive: true }));
  afterAll(async () => {
    forge.close();
    await state.service.stop();
  });

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

  function run(shell: string, script: string, environment: Environment): Promise<Ran> {
    const env = { PATH: process.env['PATH'], ...environment };
    return new Promise((resolve) => {
      execFile(
        shell,
        [...(shell === 'bash' ? ['--noprofile', '--norc'] : []), '-e', '-c', script],
        { cwd: state.folder, env },
        (error, out, err) => {
          resolve({ code: Number(error?.code ?? 0), out, err });
        },
      );
    });
  }

  const summary = (): Promise<string> => readFile(join(state.folder, '.git/summary.md'), 'utf8');

  /** Runs the step of the action as a runner would, which fills in its inputs. */
  async function action(
    inputs: Environment,
    event: object = { pull_request: { number: 7 } },
    more: Environment = {},
  ): Promise<Ran> {
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
      GITHUB_API_URL: forgeUrl,
      GITHUB_REPOSITORY: 'acme/workflows',
      GITHUB_EVENT_PATH: join(state.folder, '.git/event.json'),
      GITHUB_STEP_SUMMARY: join(state.folder, '.git/summary.md'),
      ...more,
    });
  }

  const given = (): Environment => ({ url: state.service.url, key: state.key, file: 'acme.yaml' });
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
      WTS_URL: state.service.url,
      WTS_KEY: state.key,
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
    const [version] = (await state.service.client(state.key).get('/api/v1/definition/history').expect(200))
      .body as {
      applied_by: string;
    }[];
    return version?.applied_by ?? '';
  };

  return { state, document, git, commit, summary, action, given, plan, merge, job, author };
}
