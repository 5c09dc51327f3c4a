import { entities } from '../../src/features.js';
import { createApiKey, revokeApiKey } from '../../src/access/api-keys.js';
import { createSignInLink } from '../../src/access/sessions.js';
import { createDataSource } from '../../src/common/database/data-source.js';
import { applyDefinition } from '../../src/workflows/definition/apply-definition.js';
import { readDefinition } from '../../src/workflows/definition/source/read-definition.js';
import { UserEntity } from '../../src/workflows/model/entities/user.entity.js';
import { WorkspaceEntity } from '../../src/workflows/model/entities/workspace.entity.js';

/** Manual operations on the workspace `acme` of this definition. */
export async function workspaceOf(url: string, definition: string) {
  const dataSource = await (await createDataSource({ url, entities, poolSize: 2, onIdleError: () => undefined })).initialize(); // prettier-ignore
  const { manager } = dataSource;
  await applyDefinition(dataSource, readDefinition(definition, 'test.yaml'));
  const { id: workspaceId } = await manager.findOneByOrFail(WorkspaceEntity, { slug: 'acme' });
  let made = 0;
  return {
    async makeKey(scope: 'admin' | 'write') {
      const id = `key_${String((made += 1)).padStart(12, '0')}`;
      return {
        id,
        key: await createApiKey(manager, { workspaceId, name: 'test', scope, expiresAt: null }, id),
      };
    },
    apply: (changed: string) => applyDefinition(dataSource, readDefinition(changed, 'test.yaml')),
    async signInLink(email: string) {
      return createSignInLink(manager, await manager.findOneByOrFail(UserEntity, { email }));
    },
    revoke: (id: string) => revokeApiKey(manager, id),
    close: () => dataSource.destroy(),
  };
}
