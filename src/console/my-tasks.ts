import { Injectable } from '@nestjs/common';
import { type TaskRow } from '../task-store/task-row.js';
import { todayIn } from '../lib/calendar.js';
import { isAvailable } from '../actions/action.js';
import { type Stage } from '../schema/task-schema.js';
import { TaskLists } from '../tasks/list/task-lists.service.js';
import { type Workflow } from '../workspace/workspace.js';
import { Entrances } from './entrances.js';
import { type PageRequest, type SignedIn } from './reader.js';
import { type Scope } from '../workspace/scope.js';

/** The open tasks of one workflow that are somebody's, what is due first. */
export interface TaskGroup {
  readonly workflow: Workflow;
  readonly tasks: readonly MyTask[];
  /** How many there are in all; where it is more than `MAX_COUNT` there may be any number. */
  readonly total: number;
}

export interface MyTask {
  readonly task: TaskRow;
  /** YYYY-MM-DD, where one of its clocks runs. */
  readonly due: string | undefined;
  /** When the first of its clocks ends, or has ended while nothing came of it. */
  readonly dueAt: Date | undefined;
}

/** Open tasks in a stage that has actions which somebody may start and others may not. */
export interface Waiting {
  readonly workflow: Workflow;
  readonly stage: Stage;
  /** The names of these actions. */
  readonly actions: readonly string[];
  /** How many tasks there are; where it is more than `most` there may be any number. */
  readonly count: number;
  readonly most: number;
}

/** What is assigned to somebody, and what waits for them. */
@Injectable()
export class MyTasks {
  constructor(
    private readonly lists: TaskLists,
    private readonly entrances: Entrances,
  ) {}

  /** In the order of the workflows; those without any are left out. */
  async of(to: SignedIn, request: PageRequest): Promise<TaskGroup[]> {
    const groups = await Promise.all(
      to.workflows.map(async ({ slug }) =>
        this.inWorkflow(to, await this.entrances.enter(to, request, slug)),
      ),
    );
    return groups.filter(({ tasks }) => tasks.length > 0);
  }

  /** What waits for actions that this user may start and not everybody; administrators may start all, so nothing waits for them. */
  async waitingFor(to: SignedIn, request: PageRequest): Promise<Waiting[]> {
    const waiting = await Promise.all(
      to.workflows.map(async ({ slug }) =>
        this.waitingIn(await this.entrances.enter(to, request, slug), to.user.id),
      ),
    );
    return waiting.flat();
  }

  private async waitingIn(scope: Scope, userId: string): Promise<Waiting[]> {
    const { actions: own } = scope.workflow.permissions.permissionsOf(userId, scope.workflow.id);
    if (own === 'all') return [];
    const actions = scope.workflow.actions.filter(
      ({ id }) => own.includes(id) && scope.workflow.permissions.isForSome(scope.workflow.id, id),
    );
    const namesIn = ({ name }: Stage): string[] =>
      actions.filter((action) => isAvailable(action, name)).map(({ name }) => name);
    const stages = scope.workflow.schema.stages.all.filter(
      (stage) => !stage.isEnd && namesIn(stage).length > 0,
    );
    if (stages.length === 0) return [];
    const query = new URLSearchParams(stages.map(({ name }) => ['Stage', name]));
    const asked = { origin: '', path: '', query, isActive: true };
    const { counts, most } = await this.lists.countByStage(scope, asked);
    return stages.flatMap((stage) => {
      const count = counts.get(stage.id) ?? 0;
      return count > 0 ? { workflow: scope.workflow, stage, actions: namesIn(stage), count, most } : [];
    });
  }

  private async inWorkflow({ user, timeZone, now }: SignedIn, scope: Scope): Promise<TaskGroup> {
    const query = new URLSearchParams({ 'Assigned To': user.email, _count: 'true' });
    // By one key, in whose order an index may have them.
    query.set('_sort', scope.workflow.clocks.length > 0 ? '_due' : 'Stage');
    // Only links are read apart, and this shows none.
    query.set('_fields', 'Stage,_due');
    const asked = { origin: '', path: '', query, isActive: true };
    const found = await this.lists.page(scope, asked, MAX_TASKS);
    const tasks = found.tasks.map((task) => {
      const dueAt = task.dueAt ?? undefined;
      const due = dueAt && todayIn(timeZone, dueAt);
      return { task, due, dueAt };
    });
    return {
      workflow: found.workflow,
      tasks: byDue(found.workflow, tasks, now),
      total: found.total ?? tasks.length,
    };
  }
}

/** Of one workflow on the page. */
const MAX_TASKS = 50;

/** What is overdue first, then what is due on one day by stage; what is due on none comes last. */
function byDue(workflow: Workflow, tasks: readonly MyTask[], now: Date): MyTask[] {
  const stages = workflow.schema.stages.all.map(({ id }) => id);
  const overdue = ({ dueAt }: MyTask): string => (dueAt && dueAt <= now ? dueAt.toISOString() : NEVER);
  return [...tasks].sort(
    (one, other) =>
      compare(overdue(one), overdue(other)) ||
      compare(one.due ?? NEVER, other.due ?? NEVER) ||
      stages.indexOf(one.task.stageId) - stages.indexOf(other.task.stageId),
  );
}

const NEVER = '9999-99-99';

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
