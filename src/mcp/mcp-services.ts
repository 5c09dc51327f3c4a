import { Injectable } from '@nestjs/common';
import { ActionsService } from '../actions/actions.service.js';
import { ChecklistsService } from '../checklists/checklists.service.js';
import { CommentsService } from '../comments/comments.service.js';
import { EventFeed } from '../events/event-feed.js';
import { EventsService } from '../events/events.service.js';
import { HistoryService } from '../events/history.service.js';
import { ExecutionsService } from '../executions/executions.service.js';
import { TaskLists } from '../tasks/list/task-lists.service.js';
import { TasksService } from '../tasks/tasks.service.js';
import { TaskWriter } from '../tasks/write-task.js';

/** The services of the HTTP API that the tools use. */
@Injectable()
export class McpServices {
  constructor(
    readonly tasks: TasksService,
    readonly lists: TaskLists,
    readonly writer: TaskWriter,
    readonly actions: ActionsService,
    readonly checklists: ChecklistsService,
    readonly comments: CommentsService,
    readonly events: EventsService,
    readonly feed: EventFeed,
    readonly executions: ExecutionsService,
    readonly history: HistoryService,
  ) {}
}
