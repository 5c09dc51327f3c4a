import { clocks as clockLists } from '../../automation/clocks/clocks.kind.js';
import { ApprovalsService } from '../../approvals/approvals.service.js';
import { Injectable } from '@nestjs/common';
import { ActionsService } from '../../actions/actions.service.js';
import { type ChecklistItem } from '../../checklists/checklist-item.dto.js';
import { ChecklistsService } from '../../checklists/checklists.service.js';
import { CommentsService, type LatestComments } from '../../comments/comments.service.js';
import { type EventClock } from '../../automation/clocks/clock.dto.js';
import { ClocksService } from '../../automation/clocks/clocks.service.js';
import { type DescribedEvent, type EventHead, type EventTask, type ShownOutcome } from '../../events/event.dto.js'; // prettier-ignore
import { HistoryService } from '../../events/history.service.js';
import { type ShownExecution } from '../../executions/execution.dto.js';
import { ExecutionsService } from '../../executions/executions.service.js';
import { nowhere, readStretch } from '../../common/http/paged-list.js';
import { type Stretch } from '../../common/id-page.js';
import { Preferences } from '../../messages/inbox/preferences.js';
import { type TaskKey } from '../../tasks/store/task-keys.js';
import { type TaskRow } from '../../tasks/store/task-row.js';
import { type EventHook, type EventRule } from '../../automation/rules/rule.dto.js';
import { TasksService } from '../../tasks/tasks.service.js';
import { nameOf, type TaskName } from '../../workflows/model/task-name.js';
import { type Scope } from '../../workflows/model/scope.js';
import { type Output } from '../../workflows/fields/field-type.js';
import { type WorkflowRequest } from '../console-controller.js';

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
    private readonly approvals: ApprovalsService,
    private readonly preferences: Preferences,
  ) {}

  /**
   * Reads the data of a task's page, newest comments and events first. Throws 404 if the reader may not see
   * the task.
   */
  async read({ reader, scope, said }: WorkflowRequest) {
    const task = await this.tasks.find(scope, said('task'));
    const name = nameOf(task);
    const [actions, items, comments, history, executions, clocks, approvals, pastDecisions, watch] =
      await Promise.all([
        this.actions.explain(scope, name),
        this.checklists.list(scope, name, undefined),
        this.latestComments(scope, name),
        this.latestHistory(scope, name),
        this.executions.list(scope, { _limit: '5', _verbose: 'true' }, nowhere, name),
        // Without clocks, no query is needed.
        clockLists.in(scope.workflow).length === 0 ? [] : this.clocks.list(scope, name),
        this.approvals.of(scope, name),
        this.approvals.past(scope, name),
        this.preferences.watchState(keyOf(scope, task), reader.user.id),
      ]);
    return {
      reader,
      scope,
      task,
      actions,
      items,
      comments,
      history,
      clocks,
      approvals,
      pastDecisions,
      watch,
      executions: (await readStretch<ShownExecution>(executions)).shown,
    };
  }

  /** Reads the comments before the one with the id `before`. By default, reads the latest comments. */
  async latestComments(scope: Scope, name: TaskName, before = '0'): Promise<LatestComments> {
    return this.comments.latest(scope, name, before, Number(SHOWN));
  }

  /** Reads the events that are older than `cursor`. By default, reads the latest events. */
  async latestHistory(scope: Scope, name: TaskName, cursor?: string): Promise<Stretch<HistoryEvent>> {
    const page = { _limit: SHOWN, ...(cursor !== undefined && { _after: cursor }) };
    return readStretch<HistoryEvent>(await this.history.list(scope, name, page, nowhere));
  }
}

/** Each request shows at most this many comments, and as many events. */
const SHOWN = '50';

export type TaskData = Awaited<ReturnType<TaskReader['read']>>;

export const keyOf = ({ workspaceId, workflow }: Scope, { id }: TaskRow): TaskKey => ({
  workspaceId,
  workflowId: workflow.id,
  taskId: id,
});

/** An event of a task's history, as the API returns it. The type has only the properties that pages use. */
export interface HistoryEvent extends EventHead {
  readonly data: Pick<DescribedEvent['data'], 'actor' | 'cause'> & {
    readonly task: Pick<EventTask, 'version'>;
    readonly execution: Partial<ShownEnd> | null;
    readonly changes?: Readonly<Record<string, HistoryChange>>;
    readonly checklist_item?: Pick<ChecklistItem, 'title' | 'status'>;
    readonly clock?: EventClock;
    readonly hook?: EventHook;
    readonly rule?: EventRule;
    readonly approval?: {
      readonly id: string | null;
      readonly decision?: string;
      readonly for?: string | null;
      readonly comment?: string | null;
    };
    readonly message?: { readonly to: string; readonly cause: string };
  };
}

interface ShownEnd {
  readonly id: string;
  readonly action: string | null;
  readonly errors: readonly string[];
  readonly outcomes: readonly ShownOutcome[];
}

/** The change of one property: the old and the new value, or the added and removed files or links. */
export interface HistoryChange {
  readonly from?: Output;
  readonly to?: Output;
  readonly added?: readonly { readonly filename: string }[];
  readonly removed?: readonly { readonly filename: string }[];
  readonly linked?: readonly string[];
  readonly unlinked?: readonly string[];
}
