import { join } from 'node:path';
import { note, pipelineOfFile, tier } from '../support/pipeline.js';

describe('a definition in a pipeline', () => {
  const { state, document, git, commit, summary, plan, merge, job, author } = pipelineOfFile();

  it('the action comments a plan on the pull request, and replaces the comment by a later plan', async () => {
    await commit(document(`${note}, { name: "Ri\`\`sk", type: text }`));
    const first = await plan();
    expect([first.code, first.err]).toEqual([0, '']);
    expect(first.out).toBe(`**acme.yaml** would apply to workspace ${state.acme} (version 1): 1 change

\`\`\`diff
+ add field things / Ri\`\`sk
\`\`\`
`);
    expect(state.comments).toEqual([
      { id: 5, body: `<!-- definition acme.yaml -->\n${first.out.trimEnd()}` },
    ]);
    expect(await summary()).toBe(first.out);
    await commit(document(`${note}, ${tier}`));
    expect((await plan()).code).toBe(0);
    const issues = '/repos/acme/workflows/issues';
    expect(state.asked).toEqual([
      `GET ${issues}/7/comments?per_page=100&page=1`,
      `POST ${issues}/7/comments`,
      `GET ${issues}/7/comments?per_page=100&page=1`,
      `PATCH ${issues}/comments/5`,
    ]);
    expect(state.comments[0]?.body).toContain('Tier');
  });

  it('the action applies on merge, in the name of who merged; a second run changes nothing', async () => {
    await commit(document(`${note}, ${tier}`));
    const { code, out } = await merge();
    expect([code, out]).toEqual([
      0,
      expect.stringContaining(`applied to workspace ${state.acme} (version 2): 1 change`),
    ]);
    expect(await author()).toMatch(
      new RegExp(`^key test \\(key_\\w+\\): mina by ${git('rev-parse', 'HEAD').slice(0, 12)}$`),
    );
    expect(await summary()).toBe(out);
    const again = await merge();
    expect([again.code, again.out]).toEqual([0, expect.stringContaining('no changes')]);
    expect(state.asked).toEqual([]);
  });

  const byHand = (): Promise<unknown> => state.service.apply(document('{ name: Note, type: longText }'));
  const said = `**Drift**: the definition in force (version 2) differs from acme.yaml of `;
  const line = '! change field things / Note type from longText to text';

  it('the plan shows a change that was applied by hand, and stops the apply until the file has it', async () => {
    await byHand();
    await commit(document(`${note}, ${tier}`));
    const planned = await plan();
    expect([planned.code, planned.out]).toEqual([0, expect.stringContaining(said)]);
    expect(state.comments[0]?.body).toContain(said);
    const stopped = await merge();
    expect([stopped.code, stopped.out]).toEqual([
      1,
      expect.stringMatching(/^\*\*acme.yaml\*\* is not applied\n/),
    ]);
    expect(stopped.out).toContain(said);
    expect(stopped.out).toContain(line);
    await state.service.client(state.key).get('/api/v1/definition').expect('ETag', '"2"');
    await commit(document('{ name: Note, type: longText }'));
    expect(await merge()).toMatchObject({ code: 0, out: expect.stringContaining('no changes') as string });
    await commit(document(`{ name: Note, type: longText }, ${tier}`));
    expect((await merge()).code).toBe(0);
  });

  it('the action fails if the file is wrong or the service is away, and comments the reason', async () => {
    await commit(document('{ name: Note, type: txt }'));
    expect(await plan()).toMatchObject({
      code: 1,
      out: expect.stringContaining('acme.yaml:4: workflows[0].fields[1].type: ') as string,
    });
    expect(state.comments[0]?.body).toContain('is refused');
    expect(await plan('', { key: 'x' })).toMatchObject({
      code: 1,
      out: expect.stringContaining('answers 401: A valid API key is required') as string,
    });
    expect(state.comments[0]?.body).toContain('could not be planned');
  });

  it('the GitLab jobs do the same on a merge request', async () => {
    const origin = join(state.folder, '.git/origin');
    git('clone', '-q', '--bare', '.', origin);
    git('remote', 'add', 'origin', origin);
    await commit(document(`${note}, ${tier}`));
    const request = { CI_MERGE_REQUEST_IID: '9', CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'main' };
    expect((await job('plan-definition', request)).out).toContain('+ add field things / Tier');
    const notes = '/projects/3/merge_requests/9/notes';
    expect(state.asked).toEqual([`GET ${notes}?per_page=100&page=1`, `POST ${notes}`]);
    const pushed = { CI_COMMIT_BEFORE_SHA: git('rev-parse', 'HEAD^') };
    expect(await job('apply-definition', pushed)).toMatchObject({
      code: 0,
      out: expect.stringContaining('applied to workspace') as string,
    });
    expect(await author()).toContain('): theo by ');
  });
});
