import { Injectable } from '@nestjs/common';
import { Origin } from '../database/origin.js';
import { Scope } from '../workspace/scope.js';
import { Workspaces } from '../workspace/workspaces.js';
import { type PageRequest, type SignedIn } from './reader.js';

/** How the console enters a workflow: as who is signed in, whom their role binds, until the request's deadline. */
@Injectable()
export class Entrances {
  constructor(private readonly workspaces: Workspaces) {}

  /** The workflow of this path id; 404 where the reader knows of none such. */
  async enter(to: SignedIn, { deadline, res }: PageRequest, slug: string): Promise<Scope> {
    const requestId = res?.getHeader('X-Request-Id');
    const { workspaceId } = to.session;
    const viewer = { userId: to.user.id };
    const workflow = await this.workspaces.workflow(workspaceId, slug, viewer);
    const request = typeof requestId === 'string' ? requestId : undefined;
    return new Scope(workflow, viewer, deadline, new Origin({ user: to.user.id, request }));
  }
}
