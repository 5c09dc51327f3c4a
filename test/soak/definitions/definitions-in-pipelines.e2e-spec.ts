import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { note, pipelineOfFile, tier } from '../../support/pipeline.js';

describe('a definition in a pipeline', () => {
  const { state, document, git, commit, summary, action, given, plan, merge, job, author } = pipelineOfFile();

  describe('drift', () => {
    it('a file that is new has nothing to be compared with', async () => {
      await writeFile(join(state.folder, 'new.yaml'), document(`${note}, ${tier}`));
      await commit(document());
      const inputs = { ...given(), file: 'new.yaml', command: 'apply' };
      const push = { before: git('rev-parse', 'HEAD^') };
      expect((await action(inputs, push)).out).toContain('applied to workspace');
    });

    it('a shallow clone gets the commit before; without any, that is said', async () => {
      await commit(document(`${note}, ${tier}`));
      const full = state.folder;
      state.folder = await mkdtemp(join(tmpdir(), 'wts-shallow-'));
      git('clone', '-q', '--depth=1', `file://${full}`, '.');
      await rm(full, { recursive: true });
      const { code, out } = await plan();
      expect([code, out]).toEqual([1, expect.stringContaining('Check out with fetch-depth: 2')]);
    });
  });

  it('fails where the file is wrong, and where it would lose something', async () => {
    await commit(document('{ name: Note, type: txt }'));
    const wrong = await plan();
    expect([wrong.code, wrong.out]).toEqual([
      1,
      expect.stringContaining('acme.yaml:4: workflows[0].fields[1].type: '),
    ]);
    expect(state.comments[0]?.body).toContain('is refused');
    await state.service
      .client(state.key)
      .post('/api/v1/workflows/things/tasks', { ID: 'T-1', Note: 'x' })
      .expect(201);
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
    const failures: [Readonly<Record<string, string>>, RegExp][] = [
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
      expect(state.comments.at(-1)?.body.replace(/^.*\n/, '')).toBe(out.trimEnd());
    }
    for (const options of ['--pruned', 'more.yaml', '--prune=yes']) {
      const { code, out, err } = await plan(options);
      expect([code, out, err.split('\n').length]).toEqual([1, '', 2]);
      expect(err).toContain('Usage: node definition.mjs plan|apply FILE');
    }
  });

  it('a plan that cannot be commented on is no bad plan', async () => {
    state.refusal = 403;
    await commit(document(`${note}, ${tier}`));
    const { code, out, err } = await plan();
    expect([code, err]).toEqual([
      0,
      expect.stringMatching(/^The comment cannot be written: .* answers 403: Resource not accessible\n$/),
    ]);
    expect(await summary()).toBe(out);
  });

  it('tells a pull request of a fork that it has no secrets, and does not fail', async () => {
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

  it('the jobs of GitLab do the same on a merge request', async () => {
    const origin = await mkdtemp(join(tmpdir(), 'wts-origin-'));
    git('clone', '-q', '--bare', state.folder, origin);
    git('remote', 'add', 'origin', origin);
    await commit(document(`${note}, { name: Level, type: text }`));
    const request = { CI_MERGE_REQUEST_IID: '9', CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'main' };
    expect((await job('plan-definition', request)).out).toContain('+ add field things / Level');
    expect((await job('plan-definition', request)).code).toBe(0);
    const notes = '/projects/3/merge_requests/9/notes';
    expect(state.asked).toEqual([
      `GET ${notes}?per_page=100&page=1`,
      `POST ${notes}`,
      `GET ${notes}?per_page=100&page=1`,
      `PUT ${notes}/5`,
    ]);
    const pushed = { CI_COMMIT_BEFORE_SHA: git('rev-parse', 'HEAD^') };
    const { code, out } = await job('apply-definition', pushed);
    expect([code, out]).toEqual([0, expect.stringContaining('applied to workspace')]);
    expect(await author()).toContain('): theo by ');
    await state.service.apply(document(`${note}, { name: Level, type: longText }`));
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
