import { Injectable } from '@nestjs/common';
import { type AccessRequest } from './auth/api-key.guard.js';
import { AttachmentsService } from './attachments/attachments.service.js';
import { FilesService } from './attachments/files.service.js';
import { ChecklistsService } from './checklists/checklists.service.js';
import { ExecutionsService } from './executions/executions.service.js';
import { participantOf } from './definitions/definitions.controller.js';
import { LinksService } from './links/links.service.js';
import { findTaskKey } from './task-store/task-keys.js';
import { type Workflow } from './workspace/workspace.js';
import { RulesService } from './rules/rules.service.js';
import { MessagesService } from './messages/messages.service.js';
import { SchedulesService } from './schedules/schedules.service.js';
import { TimersService } from './timers/timers.service.js';
import { UnitOfWork } from './workspace/unit-of-work.js';
import { WebhooksService } from './webhooks/webhooks.service.js';
import { noCalendar } from './workspace/not-found.js';
import { Workspaces } from './workspace/workspaces.js';
import { type Scope } from './workspace/scope.js';

/** Finds what a path names, given its parameters; throws the refusal of the request if it does not exist. */
type Find = (scope: Scope, of: (name: string) => string) => Promise<unknown>;

/** The things that paths can name. */
@Injectable()
export class Paths {
  /** By the last parameter of a path below a workflow: a new parameter needs an entry here. */
  private readonly finds: ReadonlyMap<string, Find> = new Map<string, Find>([
    ['unique_id', (scope, of) => this.findTask(scope, of('unique_id'))],
    ['id', (scope, of) => this.checklists.read(scope, of('unique_id'), of('id'))],
    ['relationship', (scope, of) => this.findLink(scope, of)],
    ['other_unique_id', (scope, of) => this.findLink(scope, of, of('other_unique_id'))],
    ['field', (scope, of) => this.findAttachment(scope, of)],
    ['blob_id', (scope, of) => this.findAttachment(scope, of, of('blob_id'))],
    ['execution_id', (scope, of) => this.executions.read(scope, of('execution_id'), 0)],
    ['rule_id', (scope, of) => Promise.resolve(this.rules.require(scope, of('rule_id')))],
    ['schedule_id', (scope, of) => Promise.resolve(this.schedules.require(scope, of('schedule_id')))],
    ['timer_id', (scope, of) => this.timers.require(scope, of('unique_id'), of('timer_id'))],
    ['user_id', (scope, of) => this.findUser(scope.workflow, of('user_id'))],
  ]);

  constructor(
    private readonly work: UnitOfWork,
    private readonly workspaces: Workspaces,
    private readonly attachments: AttachmentsService,
    private readonly checklists: ChecklistsService,
    private readonly executions: ExecutionsService,
    private readonly files: FilesService,
    private readonly links: LinksService,
    private readonly rules: RulesService,
    private readonly schedules: SchedulesService,
    private readonly timers: TimersService,
    private readonly webhooks: WebhooksService,
    private readonly messages: MessagesService,
  ) {}

  /** Throws the refusal if the path names nothing, whatever the request asks for. */
  async require({ params, principal, scope }: AccessRequest): Promise<void> {
    const of = (name: string): string => String(params[name] ?? '');
    const last = Object.keys(params).at(-1) ?? '';
    if (scope) await this.finds.get(last)?.(scope, of);
    else if (principal && last === 'webhook_id') await this.webhooks.require(principal.workspaceId, of(last));
    else if (principal && last === 'message_id') await this.messages.require(principal.workspaceId, of(last));
    else if (principal && last === 'calendar_id') await this.findCalendar(principal.workspaceId, of(last));
    else if (principal && last === 'blob_id')
      await this.files.find(principal.workspaceId, of(last), principal);
  }

  private findTask(scope: Scope, uniqueId: string): Promise<unknown> {
    return this.work.read(scope, (db, current) => findTaskKey(db, current, uniqueId));
  }

  private findLink(scope: Scope, of: (name: string) => string, other?: string): Promise<void> {
    return this.links.require(scope, { task: of('unique_id'), relationship: of('relationship') }, other);
  }

  private findAttachment(scope: Scope, of: (name: string) => string, blobId?: string): Promise<void> {
    return this.attachments.require(scope, { task: of('unique_id'), field: of('field') }, blobId);
  }

  private async findCalendar(workspaceId: number, id: string): Promise<void> {
    const { calendars } = await this.workspaces.get(workspaceId);
    if (!calendars.has(id)) throw noCalendar([...calendars.keys()], id);
  }

  private async findUser(workflow: Workflow, id: string): Promise<unknown> {
    return participantOf(await this.workspaces.get(workflow.workspaceId), workflow, id);
  }
}
