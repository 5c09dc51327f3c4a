import { type Environment } from '../../src/config.js';
import { WorkspaceEntity } from '../../src/workflows/model/entities/workspace.entity.js';
import { type Client, type SettleOptions, startService, type TestService } from './service.js';

/** A workspace that one test has to itself. */
export interface OwnWorkspace {
  readonly service: TestService;
  readonly slug: string;
  readonly workspaceId: number;
  readonly api: Client;
  readonly admin: Client;
  /** Runs what is due in this workspace, after the time was moved. */
  readonly settle: (options?: SettleOptions) => Promise<void>;
}

/** One service for a file; each call gives a workspace with this definition: acme-1, acme-2. */
export async function ownWorkspaces(environment?: Environment) {
  const service = await startService(environment);
  afterAll(() => service.stop());
  let made = 0;
  const start = async (definition: (slug: string) => string): Promise<OwnWorkspace> => {
    const slug = `acme-${(made += 1)}`;
    const api = await service.clientOf(definition(slug));
    return {
      ...{ service, slug, api },
      workspaceId: (await service.dataSource.manager.findOneByOrFail(WorkspaceEntity, { slug })).id,
      admin: service.client(await service.key(slug, 'admin')),
      settle: (options) => service.settle({ workspace: slug, ...options }),
    };
  };
  return { service, start };
}
