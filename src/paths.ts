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
import { UnitOfWork } from './workspace/unit-of-work.js';
import { WebhooksService } from './webhooks/webhooks.service.js';
import { Workspaces } from './workspace/workspaces.js';

/** Finds what a path names, its parameters given by name; throws what a request for it is refused with. */
type Find = (workflow: Workflow, of: (name: string) => string) => Promise<unknown>;

/** What paths name. */
@Injectable()
export class Paths {
  /** By the last parameter of a path below a workflow: who adds one says here what it names. */
  private readonly finds: ReadonlyMap<string, Find> = new Map<string, Find>([
    ['unique_id', (workflow, of) => this.findTask(workflow, of('unique_id'))],
    ['id', (workflow, of) => this.checklists.read(workflow, of('unique_id'), of('id'))],
    ['relationship', (workflow, of) => this.findLink(workflow, of)],
    ['other_unique_id', (workflow, of) => this.findLink(workflow, of, of('other_unique_id'))],
    ['field', (workflow, of) => this.findAttachment(workflow, of)],
    ['blob_id', (workflow, of) => this.findAttachment(workflow, of, of('blob_id'))],
    ['execution_id', (workflow, of) => this.executions.read(workflow, of('execution_id'), 0)],
    ['user_id', (workflow, of) => this.findUser(workflow, of('user_id'))],
  ]);

  constructor(
    private readonly work: UnitOfWork,
    private readonly workspaces: Workspaces,
    private readonly attachments: AttachmentsService,
    private readonly checklists: ChecklistsService,
    private readonly executions: ExecutionsService,
    private readonly files: FilesService,
    private readonly links: LinksService,
    private readonly webhooks: WebhooksService,
  ) {}

  /** Throws what a request for this path is refused with, whatever it asks there. */
  async require({ params, principal, workflow }: AccessRequest): Promise<void> {
    const of = (name: string): string => String(params[name] ?? '');
    const last = Object.keys(params).at(-1) ?? '';
    if (workflow) await this.finds.get(last)?.(workflow, of);
    else if (principal && last === 'webhook_id') await this.webhooks.require(principal.workspaceId, of(last));
    else if (principal && last === 'blob_id')
      await this.files.find(principal.workspaceId, of(last), principal);
  }

  private findTask(workflow: Workflow, uniqueId: string): Promise<unknown> {
    return this.work.read(workflow, (db, current) => findTaskKey(db, current, uniqueId));
  }

  private findLink(workflow: Workflow, of: (name: string) => string, other?: string): Promise<void> {
    return this.links.require(workflow, { task: of('unique_id'), relationship: of('relationship') }, other);
  }

  private findAttachment(workflow: Workflow, of: (name: string) => string, blobId?: string): Promise<void> {
    return this.attachments.require(workflow, { task: of('unique_id'), field: of('field') }, blobId);
  }

  private async findUser(workflow: Workflow, id: string): Promise<unknown> {
    return participantOf(await this.workspaces.get(workflow.workspaceId), workflow, id);
  }
}
