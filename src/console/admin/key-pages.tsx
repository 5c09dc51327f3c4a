import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { createApiKey, findKeysOf, newKeyId, revokeApiKey, rotateApiKey } from '../../auth/api-keys.js';
import { type ApiKeyEntity } from '../../entities/api-key.entity.js';
import { notFound } from '../../lib/errors.js';
import { type Reply } from '../../lib/reply.js';
import { readQuery } from '../../ops/query.js';
import { pageReply, seeOther } from '../page.js';
import { type PageRequest } from '../reader.js';
import { refusedForm } from './admin-form.js';
import { AdminLog } from './admin-log.js';
import { type Administrator, idIn } from './admin-pages.js';
import { readNewKey, readRotation, rotationOf } from './key-form.js';
import { NewKeyPage, RotateKeyPage } from './key-form-pages.js';
import { isInForce, KEYS_PATH, KeysPage, type MadeKey } from './keys-page.js';

/** The pages of keys, and what their forms do, by what the command line calls. */
@Injectable()
export class KeyPages {
  constructor(
    private readonly dataSource: DataSource,
    private readonly log: AdminLog,
  ) {}

  /** `revoke` names the key that is asked about, `revoked` one that just was. */
  async list(to: Administrator, request: PageRequest): Promise<Reply> {
    const query = readQuery(request.originalUrl);
    const keys = await this.keysOf(to);
    const [asked, revoked] = ['revoke', 'revoked'].map((name) =>
      keys.find(({ id }) => id === query.get(name)),
    );
    return pageReply(<KeysPage {...{ to, keys, asked, revoked }} />);
  }

  new(to: Administrator): Reply {
    const values = new URLSearchParams({ scope: 'write' });
    return pageReply(<NewKeyPage to={to} form={{ values, faults: [] }} />);
  }

  /** Makes a key, and shows it this once. */
  async make(to: Administrator, values: URLSearchParams): Promise<Reply> {
    try {
      const wanted = readNewKey(values, to.timeZone);
      const id = newKeyId();
      const { workspaceId } = to.session;
      const secret = await createApiKey(this.dataSource.manager, { workspaceId, ...wanted }, id);
      this.log.note(to, 'make-key', id);
      return await this.showOnce(to, { name: wanted.name, secret });
    } catch (error) {
      return pageReply(<NewKeyPage to={to} form={refusedForm(values, error)} />, { status: 422 });
    }
  }

  async askToRotate(to: Administrator, id: string): Promise<Reply> {
    const key = await this.find(to, id);
    return pageReply(<RotateKeyPage to={to} apiKey={key} form={rotationOf(key, to.timeZone)} />);
  }

  /** Makes a key in place of another, and shows it this once. */
  async rotate(to: Administrator, id: string, values: URLSearchParams): Promise<Reply> {
    const key = await this.find(to, id);
    try {
      const { workspaceId } = to.session;
      const rotation = { ...readRotation(values, to.timeZone), of: { workspaceId } };
      const secret = await rotateApiKey(this.dataSource.manager, key.id, rotation);
      this.log.note(to, 'rotate-key', key.id);
      return await this.showOnce(to, { name: key.name, secret });
    } catch (error) {
      const form = refusedForm(values, error);
      return pageReply(<RotateKeyPage to={to} apiKey={key} form={form} />, { status: 422 });
    }
  }

  async revoke(to: Administrator, named: string): Promise<Reply> {
    const id = idIn(named);
    const { manager } = this.dataSource;
    if (id === undefined || !(await revokeApiKey(manager, id, to.session.workspaceId))) throw notFound();
    this.log.note(to, 'revoke-key', id);
    return seeOther(`${KEYS_PATH}?revoked=${id}`);
  }

  private async showOnce(to: Administrator, made: MadeKey): Promise<Reply> {
    const keys = await this.keysOf(to);
    return pageReply(<KeysPage {...{ to, keys, made, asked: undefined, revoked: undefined }} />);
  }

  /** One in force. */
  private async find(to: Administrator, id: string): Promise<ApiKeyEntity> {
    const key = (await this.keysOf(to)).find((one) => one.id === id && isInForce(one));
    if (!key) throw notFound();
    return key;
  }

  private async keysOf({ session }: Administrator): Promise<ApiKeyEntity[]> {
    return findKeysOf(this.dataSource.manager, session.workspaceId);
  }
}
