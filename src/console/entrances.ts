import { Injectable } from '@nestjs/common';
import { type Workflow } from '../workspace/workspace.js';
import { Workspaces } from '../workspace/workspaces.js';
import { type PageRequest, type SignedIn } from './reader.js';

/** How the console enters a workflow: as who is signed in, whom their role binds, until the request's deadline. */
@Injectable()
export class Entrances {
  constructor(private readonly workspaces: Workspaces) {}

  /** The workflow of this path id; 404 where the reader knows of none such. */
  async workflow(to: SignedIn, { deadline, res }: PageRequest, slug: string): Promise<Workflow> {
    const requestId = res?.getHeader('X-Request-Id');
    return this.workspaces.requested(to.session.workspaceId, slug, {
      viewer: { userId: to.user.id },
      requestId: typeof requestId === 'string' ? requestId : undefined,
      deadline,
    });
  }
}
