import { type Response } from 'supertest';
import { createApiKey } from '../../src/access/api-keys.js';
import { UserEntity } from '../../src/workflows/model/entities/user.entity.js';
import { WorkspaceEntity } from '../../src/workflows/model/entities/workspace.entity.js';
import { type Client, type TestService } from '../support/service.js';

/** A key that acts as this user, and so has their rights: as a session has them, deletions too. */
export async function keyOf({ dataSource }: TestService, email: string, slug = 'acme'): Promise<string> {
  const { manager } = dataSource;
  const { id: workspaceId } = await manager.findOneByOrFail(WorkspaceEntity, { slug });
  const { id: userId } = await manager.findOneByOrFail(UserEntity, { workspaceId, email });
  return createApiKey(manager, { workspaceId, name: email, scope: 'write', expiresAt: null, userId });
}

export async function personOf(service: TestService, email: string, slug?: string): Promise<Client> {
  return service.client(await keyOf(service, email, slug));
}

/** What became of a request: `done`, or the status and the words that it is refused with. */
export async function outcome(request: PromiseLike<Response>): Promise<string> {
  const { status, body } = await request;
  if (status < 300) return 'done';
  const { errors, detail } = body as { readonly errors?: object; readonly detail?: string };
  const words = Array.isArray(errors) ? errors.join('; ') : errors ? JSON.stringify(errors) : detail;
  return `${status} ${words ?? ''}`;
}
