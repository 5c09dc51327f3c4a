import { en } from './words.js';
import { Get, Post } from '@nestjs/common';
import { type ComponentChildren, type VNode } from 'preact';
import { runResults } from '../../database/column-values.js';
import { notFound } from '../../lib/errors.js';
import { type Reply } from '../../lib/reply.js';
import { type Scope } from '../../workspace/scope.js';
import { type ShownKind } from '../../workspace/shown-kind.js';
import { KindsService, specOf } from '../../definitions/shown/kinds.service.js';
import { type Workflow } from '../../workspace/workspace.js';
import { pageReply, seeOther } from '../page.js';
import { Badge } from '../parts/badge.js';
import { ButtonForm } from '../parts/form.js';
import { goodNotice, type Notice } from '../parts/notices.js';
import { type Administered, type PlacedThing } from './administered.js';
import { type AdminRow, adminListReply } from './admin-list.js';
import { DetailPage, type FactRow, Facts } from './admin-page.js';
import { type Administrator, type AdminRequest, Asked } from './admin-pages.js';
import { RunsPart } from './runs-part.js';

/** What starts actions by itself: a rule or a schedule, which a definition has and administrators may pause. */
interface Starter {
  readonly id: string;
  readonly state: 'active' | 'paused';
}

/** A starter whose page is asked for. */
export interface AskedStarter<Of> {
  readonly reader: Administrator;
  readonly scope: Scope;
  readonly starter: Of;
  readonly path: string;
  readonly query: URLSearchParams;
}

/** What the page of a starter says besides what all say. */
export interface StarterDetails {
  readonly facts: readonly FactRow[];
  readonly buttons?: VNode;
  readonly section: VNode;
  readonly notice?: Notice | undefined;
}

/** The starters of one kind of the workflows that somebody administers, and the page of each with its runs. */
export abstract class StarterPages<Of extends Starter> {
  protected constructor(
    private readonly kind: 'rule' | 'schedule',
    protected readonly administered: Administered,
    private readonly kinds: KindsService,
    private readonly shown: ShownKind<{ readonly id: string }, Of>,
  ) {}

  /** What the line of one says below its name, and at its end. */
  protected abstract lineOf(
    reader: Administrator,
    placed: PlacedThing<Of>,
  ): {
    readonly under: string;
    readonly due: ComponentChildren;
  };

  protected abstract detailsOf(asked: AskedStarter<Of>): StarterDetails | Promise<StarterDetails>;

  @Get()
  async list(@Asked() place: AdminRequest): Promise<Reply> {
    const { reader } = place;
    const words = en.time.admin;
    const things = await this.administered.all(
      place,
      (workflow) => this.shown.in(workflow).length > 0,
      (scope) => this.kinds.list(scope, this.shown),
    );
    return adminListReply({
      title: words[`${this.kind}s`],
      lead: words[`${this.kind}sLead`],
      count: things.length,
      things,
      row: (placed): AdminRow => {
        const { workflow, thing } = placed;
        const { under, due } = this.lineOf(reader, placed);
        return {
          href: this.pathOf(workflow, thing.id),
          state: <StateBadge state={thing.state} />,
          title: thing.id,
          under: <span class="muted">{`${workflow.name} · ${under}`}</span>,
          due,
        };
      },
      empty: this.kind === 'rule' ? ['history', words.noRules, words.noRulesMore] : ['clock', words.noSchedules, words.noSchedulesMore], // prettier-ignore
    });
  }

  @Get(':workflow/:starter')
  async show(@Asked() place: AdminRequest): Promise<Reply> {
    const { reader, query } = place;
    const id = place.said('starter');
    const scope = await this.administered.enter(place);
    specOf(scope, this.shown, id);
    const { workflow } = scope;
    const path = this.pathOf(workflow, id);
    const asked = {
      result: runResults.find((one) => one === query.get('result')),
      after: query.get('after') ?? undefined,
    };
    const [starters, runs] = await Promise.all([
      this.kinds.list(scope, this.shown),
      this.administered.runsOf(scope, this.kind, id, asked),
    ]);
    const starter = starters.find((each) => each.id === id);
    if (!starter) throw notFound();
    const details = await this.detailsOf({ reader, scope, starter, path, query });
    const words = en.time.admin;
    const isPaused = starter.state === 'paused';
    return pageReply(
      <DetailPage
        title={id}
        above={{ href: this.root, name: words[`${this.kind}s`] }}
        badge={<StateBadge state={starter.state} />}
        lead={isPaused ? words[`${this.kind}PausedWhy`] : undefined}
        notice={details.notice ?? doneNotice(place, id)}
      >
        <Facts rows={[[en.admin.execution.workflow, workflow.name], ...details.facts]} />
        <div class="actions">
          {details.buttons}
          <ButtonForm action={`${path}/${isPaused ? 'resume' : 'pause'}`} look={isPaused ? 'primary' : ''}>
            {isPaused ? words.resume : en.admin.webhook.pause}
          </ButtonForm>
        </div>
        {details.section}
        <RunsPart path={path} runs={runs} asked={asked} />
      </DetailPage>,
    );
  }

  @Post(':workflow/:starter/pause')
  async pause(@Asked() place: AdminRequest): Promise<Reply> {
    return this.does(place, 'paused', 'pause');
  }

  @Post(':workflow/:starter/resume')
  async resume(@Asked() place: AdminRequest): Promise<Reply> {
    return this.does(place, 'resumed', 'resume');
  }

  /** Does it, and leads back to the page, which says that it is done. */
  protected async does(
    place: AdminRequest,
    done: keyof ReturnType<typeof doneWords>,
    verb: string,
    key?: string,
  ): Promise<Reply> {
    const id = place.said('starter');
    const scope = await this.administered.enter(place);
    await this.kinds.operate(scope, this.shown, { verb, id, key });
    return seeOther(`${this.pathOf(scope.workflow, id)}?done=${done}`);
  }

  private get root(): string {
    return `/admin/${this.kind}s`;
  }

  private pathOf({ slug }: Pick<Workflow, 'slug'>, id: string): string {
    return `${this.root}/${encodeURIComponent(slug)}/${encodeURIComponent(id)}`;
  }
}

function StateBadge({ state }: Pick<Starter, 'state'>): VNode {
  return <Badge tone={state === 'active' ? 'good' : 'waiting'}>{en.time.admin.states[state]}</Badge>;
}

function doneWords() {
  const { isPaused, isResumed, isRun } = en.time.admin;
  return { paused: isPaused, resumed: isResumed, run: isRun };
}

/** What was just done, as the address of a page says it. */
function doneNotice({ query }: AdminRequest, id: string): Notice | undefined {
  const say = Object.entries(doneWords()).find(([name]) => name === query.get('done'))?.[1];
  return say && goodNotice(say(id));
}
