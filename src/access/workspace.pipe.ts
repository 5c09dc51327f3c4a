import { Injectable, type PipeTransform } from '@nestjs/common';
import { type Workspace } from '../workflows/workspace.js';
import { Workspaces } from '../workflows/workspaces.js';
import { type Principal } from './principal.js';

/** The compiled workspace of who is asking. */
@Injectable()
export class WorkspacePipe implements PipeTransform<Principal, Promise<Workspace>> {
  constructor(private readonly workspaces: Workspaces) {}

  async transform({ workspaceId }: Principal): Promise<Workspace> {
    return this.workspaces.get(workspaceId);
  }
}
