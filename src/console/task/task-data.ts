import { clocks as clockLists } from '../../automation/clocks/clocks.kind.js';
import { type PastDecision } from '../../approvals/show-approval.js';
import { type PageApproval } from '../../approvals/approval.dto.js';
import { ApprovalsService } from '../../approvals/approvals.service.js';
import { Injectable } from '@nestjs/common';
import { ActionsService, type ExplainedAction } from '../../actions/actions.service.js';
import { type Foretold } from '../../actions/step.js';
import { type ChecklistItem } from '../../checklists/checklist-item.dto.js';
import { ChecklistsService } from '../../checklists/checklists.service.js';
import { type Comment } from '../../comments/comment.dto.js';
import { CommentsService } from '../../comments/comments.service.js';
import { type Mentions } from '../../comments/mentions.js';
import { type EventClock, type ShownClock } from '../../automation/clocks/clock.dto.js';
import { ClocksService } from '../../automation/clocks/clocks.service.js';
import { type DescribedEvent, type EventHead, type EventTask, type ShownOutcome } from '../../events/event.dto.js'; // prettier-ignore
import { HistoryService } from '../../events/history.service.js';
import { type ShownExecution } from '../../executions/execution.dto.js';
import { ExecutionsService } from '../../executions/executions.service.js';
import { nowhere, readStretch, type Stretch } from '../../common/http/paged-list.js';
import { type TaskRow } from '../../tasks/store/task-row.js';
import { type EventHook, type EventRule } from '../../automation/rules/rule.dto.js';
import { type ShownRun } from '../../executions/runs/run.dto.js';
import { RunsService } from '../../executions/runs/runs.service.js';
import { TasksService } from '../../tasks/tasks.service.js';
import { nameOf, type TaskName } from '../../workflows/model/task-name.js';
import { type Scope } from '../../workflows/model/scope.js';
import { type Output } from '../../workflows/fields/field-type.js';

export interface TaskData {
  readonly scope: Scope;
  readonly task: TaskRow;
  readonly actions: readonly ExplainedAction[];
  readonly items: readonly ChecklistItem[];
  /** Newest first. */
  readonly comments: ShownComments;
  /** Newest first. */
  readonly history: Stretch<HistoryEvent>;
  readonly executions: readonly ShownExecution[];
  /** In the order of the definition. */
  readonly clocks: readonly ShownClock[];
  readonly approvals: readonly PageApproval[];
  readonly pastDecisions: readonly PastDecision[];
  readonly runs: readonly ShownRun[];
}

interface ShownComments extends Stretch<Comment> {
  readonly mentions: Mentions;
}

@Injectable()
export class TaskReader {
  constructor(
    private readonly tasks: TasksService,
    private readonly actions: ActionsService,
    private readonly checklists: ChecklistsService,
    private readonly comments: CommentsService,
    private readonly history: HistoryService,
    private readonly executions: ExecutionsService,
    private readonly clocks: ClocksService,
    private readonly runs: RunsService,
    private readonly approvals: ApprovalsService,
  ) {}

  /** The data of the task of a Task URL; 404 if the viewer of the workflow sees no such task. */
  async read(scope: Scope, publicId: string, write: Foretold['write']): Promise<TaskData> {
    const task = await this.tasks.find(scope, publicId);
    const name = nameOf(task);
    const [actions, items, comments, history, executions, clocks, runs, approvals, pastDecisions] =
      await Promise.all([
        this.actions.explain(scope, name, { write }),
        this.checklists.list(scope, name, undefined),
        this.latestComments(scope, name),
        this.latestHistory(scope, name),
        this.executions
          .list(scope, { _limit: '5', _verbose: 'true' }, nowhere, name)
          .then(readStretch<ShownExecution>),
        this.clocksOf(scope, name),
        this.latestRuns(scope, name),
        this.approvals.of(scope, name),
        this.approvals.past(scope, name),
      ]);
    return {
      scope,
      task,
      actions,
      items,
      comments,
      history,
      executions: executions.shown,
      clocks,
      runs: runs.shown,
      approvals,
      pastDecisions,
    };
  }

  /** The comments before the one of this id, or the latest ones. */
  async latestComments(scope: Scope, name: TaskName, before = '0'): Promise<ShownComments> {
    const { comments, next, mentions } = await this.comments.latest(scope, name, before, COMMENTS);
    return { shown: comments, next, mentions };
  }

  /** The history before this cursor, or the latest part. */
  async latestHistory(scope: Scope, name: TaskName, after?: string): Promise<Stretch<HistoryEvent>> {
    const page = { _limit: String(EVENTS), ...(after !== undefined && { _after: after }) };
    return readStretch<HistoryEvent>(await this.history.list(scope, name, page, nowhere));
  }

  /** A workflow without clocks needs no query. */
  private async clocksOf(scope: Scope, name: TaskName): Promise<readonly ShownClock[]> {
    return clockLists.in(scope.workflow).length === 0 ? [] : this.clocks.list(scope, name);
  }

  private async latestRuns(scope: Scope, name: TaskName): Promise<Stretch<ShownRun>> {
    return readStretch<ShownRun>(await this.runs.listOfTask(scope, name, { _limit: String(RUNS) }, nowhere));
  }
}

/** How many comments are shown at first, and each time somebody asks for more. */
const COMMENTS = 50;
const EVENTS = 50;
const RUNS = 50;

/** An event of a task's history as the API shows it; only the parts that pages use. */
export interface HistoryEvent extends EventHead {
  readonly data: Pick<DescribedEvent['data'], EventPart> & {
    readonly task: Pick<EventTask, 'version'>;
    readonly execution: Partial<ShownEnd> | null;
    readonly changes?: Readonly<Record<string, HistoryChange>>;
    readonly checklist_item?: Pick<ChecklistItem, 'title' | 'status'>;
    readonly clock?: EventClock;
    readonly hook?: EventHook;
    readonly rule?: EventRule;
  };
}

type EventPart = 'actor' | 'approval' | 'cause' | 'message';

interface ShownEnd {
  readonly id: string;
  readonly action: string | null;
  readonly errors: readonly string[];
  readonly outcomes: readonly ShownOutcome[];
}

/** The change of one key. Most keys have an old and a new value; files and links have those added and removed. */
export interface HistoryChange {
  readonly from?: Output;
  readonly to?: Output;
  readonly added?: readonly { readonly filename: string }[];
  readonly removed?: readonly { readonly filename: string }[];
  readonly linked?: readonly string[];
  readonly unlinked?: readonly string[];
}
