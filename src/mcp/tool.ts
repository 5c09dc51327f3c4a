import { type Principal } from '../common/request.js';
import { type Scope } from '../workflows/model/scope.js';
import { type Workspace } from '../workflows/model/workspace.js';
import { type Arguments, type Declared } from './arguments.js';
import { Injectable } from '@nestjs/common';
import { ActionsService } from '../actions/actions.service.js';
import { ChecklistsService } from '../checklists/checklists.service.js';
import { CommentsService } from '../comments/comments.service.js';
import { HistoryService } from '../events/history.service.js';
import { ExecutionsService } from '../executions/executions.service.js';
import { TaskLists } from '../tasks/list/task-lists.service.js';
import { TasksService } from '../tasks/tasks.service.js';
import { TaskWriter } from '../tasks/write-task.js';

export interface Tool extends Declared {
  readonly name: string;
  readonly description: string;
  readonly hints: Hints;
  run(call: Call, given: Arguments): Promise<ToolOutcome>;
}

interface Hints {
  readonly writes: boolean;
  readonly overwrites?: true;
  /** Whether the tool creates tasks. If so, a key that can only create tasks may call the tool. */
  readonly creates?: true;
}

export interface Call {
  readonly services: McpServices;
  readonly principal: Principal;
  /** The workspace of the key, with its definition in force. */
  readonly workspace: () => Promise<Workspace>;
  /** The scope of the call in a workflow; throws 404 if the key may not use the workflow. */
  readonly scope: (workflow: string) => Promise<Scope>;
}

export interface ToolOutcome {
  /** A sentence that contains no data of tasks. */
  readonly said: string;
  /** The result. Only its `values` contain data of tasks. */
  readonly structured: Structured;
  readonly isError?: true;
}

/** The maximum total size of the values of a result, in bytes. It is low: a model reads the whole result. */
export const ROOM = 24_000;

export type Structured = Readonly<Record<string, unknown>>;

@Injectable()
export class McpServices {
  constructor(
    readonly tasks: TasksService,
    readonly lists: TaskLists,
    readonly writer: TaskWriter,
    readonly actions: ActionsService,
    readonly checklists: ChecklistsService,
    readonly comments: CommentsService,
    readonly executions: ExecutionsService,
    readonly history: HistoryService,
  ) {}
}
