import { Get, Param, Post } from '@nestjs/common';
import { runResults } from '../../entities/column-values.js';
import { notFound, TellingError } from '../../lib/errors.js';
import { type Reply } from '../../lib/reply.js';
import { RulesService } from '../../rules/rules.service.js';
import { type Scope } from '../../workspace/scope.js';
import { pageReply, seeOther } from '../page.js';
import { type Notice } from '../parts/notices.js';
import { AdminPages, type AdminRequest, Asked } from './admin-pages.js';
import { Administered, type AskedRuns } from './administered.js';
import { type Trial } from './trial-part.js';
import { rulePath, RulePage, RulesPage } from './rules-page.js';

/** The rules of the workflows that somebody administers; what they are stands in the definition. */
@AdminPages('admin/rules')
export class AdminRulesController {
  constructor(
    private readonly administered: Administered,
    private readonly rules: RulesService,
  ) {}

  @Get()
  async list(@Asked() place: AdminRequest): Promise<Reply> {
    const rules = await this.administered.all(
      place,
      (workflow) => workflow.rules.length > 0,
      (scope) => this.rules.list(scope),
    );
    return pageReply(<RulesPage to={place.to} rules={rules} />);
  }

  @Get(':workflow/:rule')
  async show(@Asked() place: AdminRequest, @Param('rule') id: string): Promise<Reply> {
    const { to, query } = place;
    const scope = await this.administered.enter(place);
    this.rules.require(scope, id);
    const asked = askedRuns(query);
    const [rules, runs, trial] = await Promise.all([
      this.rules.list(scope),
      this.administered.runsOf(scope, 'rule', id, asked),
      this.tried(scope, id, query.get('task')),
    ]);
    const rule = rules.find((each) => each.id === id);
    if (!rule) throw notFound();
    const { workflow } = scope;
    return pageReply(
      <RulePage {...{ to, workflow, rule, trial, runs, asked, notice: doneNotice(place, id) }} />,
    );
  }

  @Post(':workflow/:rule/pause')
  async pause(@Asked() place: AdminRequest, @Param('rule') id: string): Promise<Reply> {
    const scope = await this.administered.enter(place);
    await this.rules.pause(scope, id, true);
    return this.back(scope, id, 'paused');
  }

  @Post(':workflow/:rule/resume')
  async resume(@Asked() place: AdminRequest, @Param('rule') id: string): Promise<Reply> {
    const scope = await this.administered.enter(place);
    await this.rules.pause(scope, id, false);
    return this.back(scope, id, 'resumed');
  }

  /** What the rule would do with the task that the address names. */
  private async tried(scope: Scope, id: string, given: string | null): Promise<Trial> {
    const task = given?.trim() ?? '';
    if (task === '') return {};
    try {
      return { task, answer: await this.rules.tryOn(scope, id, task) };
    } catch (error) {
      if (error instanceof TellingError) return { task, refused: error.said };
      throw error;
    }
  }

  private back({ workflow }: Scope, id: string, done: string): Reply {
    return seeOther(`${rulePath(workflow, id)}?done=${done}`);
  }
}

/** The runs that an address asks for. */
export const askedRuns = (query: URLSearchParams): AskedRuns => ({
  result: runResults.find((one) => one === query.get('result')),
  after: query.get('after') ?? undefined,
});

/** What was just done, as the address of a page says it. */
export function doneNotice({ to, query }: AdminRequest, id: string): Notice | undefined {
  const words = to.words.time.admin;
  const done = { paused: words.isPaused, resumed: words.isResumed, run: words.isRun };
  const say = Object.entries(done).find(([name]) => name === query.get('done'))?.[1];
  return say && { tone: 'good', lines: [{ text: say(id) }] };
}
