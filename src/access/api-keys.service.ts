import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Repository } from 'typeorm';
import { type Origin } from '../common/origin.js';
import { boundTo } from '../common/database/sql.js';
import { ApiKeyEntity } from './api-key.entity.js';
import { keyScopes } from '../common/column-values.js';
import { notFound } from '../common/errors.js';
import { type FieldErrors } from '../common/field-errors.js';
import { say } from '../common/message.js';
import { createApiKey, isKeyName, newKeyId, revokeApiKey } from './api-keys.js';

export type KeyOfWorkspace = Readonly<Omit<ApiKeyEntity, 'hash'>>;

interface WantedKey {
  readonly name: string;
  readonly scope: string;
  readonly expiresAt: Date | null;
}

/** A new key. The secret cannot be read again. */
interface MadeKey {
  readonly id: string;
  readonly secret: string;
}

@Injectable()
export class ApiKeysService {
  constructor(@InjectRepository(ApiKeyEntity) private readonly keys: Repository<ApiKeyEntity>) {}

  /** All keys of a workspace, newest first. */
  async list(workspaceId: number): Promise<KeyOfWorkspace[]> {
    return this.keys.find({ where: { workspaceId }, order: { createdAt: 'DESC', id: 'ASC' } });
  }

  async find(workspaceId: number, id: string): Promise<KeyOfWorkspace | undefined> {
    return isKeyId(id) ? ((await this.keys.findOneBy({ workspaceId, id })) ?? undefined) : undefined;
  }

  /** Creates a key. Throws the faults of `wanted` together with those that the caller put into `errors`. */
  async make(workspaceId: number, wanted: WantedKey, errors: FieldErrors, origin: Origin): Promise<MadeKey> {
    const { name, expiresAt } = wanted;
    if (name === '') errors.add('name', 'is required');
    else if (!isKeyName(name)) errors.add('name', 'is not 1 to 100 characters on one line');
    const scope = keyScopes.find((one) => one === wanted.scope);
    if (!scope) errors.add('scope', say`is not one of: ${keyScopes.join(', ')}`);
    errors.throwIfAny();
    const id = newKeyId();
    const key = { workspaceId, scope: scope ?? 'read', name, expiresAt };
    return { id, secret: await createApiKey(this.recorded(workspaceId, origin), key, id) };
  }

  /** Revokes a key. Throws 404 if the workspace has no key with this id, or if the key is already revoked. */
  async revoke(workspaceId: number, id: string, origin: Origin): Promise<void> {
    if (!(await revokeApiKey(this.recorded(workspaceId, origin), id, workspaceId)))
      throw notFound('There is no valid key with this id.');
  }

  /** Returns an entity manager that records `origin` in the event of each change. */
  private recorded(workspaceId: number, origin: Origin): EntityManager {
    return boundTo(this.keys.manager, { workspaceId, keyId: undefined, origin });
  }
}

const isKeyId = (text: string): boolean => /^[\w-]{1,64}$/.test(text);
