import { Get, Post } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { boundTo } from '../../database/sql.js';
import { createApiKey, findKeysOf, newKeyId, revokeApiKey, rotateApiKey } from '../../auth/api-keys.js';
import { type ApiKeyEntity } from '../../auth/api-key.entity.js';
import { notFound } from '../../lib/errors.js';
import { type Reply } from '../../lib/reply.js';
import { FormBody } from '../form-body.js';
import { pageReply, seeOther } from '../page.js';
import { type AdminFormView, answerForm, type Filled, formReply } from './admin-form.js';
import {
  type Administrator,
  type AdminRequest,
  Asked,
  idIn,
  WorkspaceAdminPages,
  AdminLog,
  originOf,
} from './admin-pages.js';
import { newKeyForm, readNewKey, readRotation, rotationForm, rotationOf } from './key-form.js';
import { isInForce, KEYS_PATH, KeysPage, type MadeKey } from './keys-page.js';

/** The keys of programs: what they may do and when they were used, and each key once, when it is made. */
@WorkspaceAdminPages('admin/keys')
export class AdminKeysController {
  constructor(
    private readonly dataSource: DataSource,
    private readonly log: AdminLog,
  ) {}

  /** `revoke` names the key that is asked about, `revoked` one that just was. */
  @Get()
  async list(@Asked() { to, query }: AdminRequest): Promise<Reply> {
    const keys = await this.keysOf(to);
    const [asked, revoked] = ['revoke', 'revoked'].map((name) =>
      keys.find(({ id }) => id === query.get(name)),
    );
    return pageReply(<KeysPage {...{ to, keys, asked, revoked }} />);
  }

  @Get('new')
  new(@Asked() { to }: AdminRequest): Reply {
    const values = new URLSearchParams({ scope: 'write' });
    return formReply(newKeyForm(to, { values, faults: [] }));
  }

  /** Makes a key, and shows it this once. */
  @Post()
  async make(@Asked() { to }: AdminRequest, @FormBody() values: URLSearchParams): Promise<Reply> {
    const { workspaceId } = to.session;
    const view = (form: Filled): AdminFormView => newKeyForm(to, form);
    return answerForm(view, values, async () => {
      const wanted = await readNewKey(this.dataSource.manager, workspaceId, values, to.timeZone);
      const id = newKeyId();
      const secret = await createApiKey(this.recorded(to), { workspaceId, ...wanted }, id);
      this.log.note(to, 'make-key', id);
      return this.showOnce(to, { name: wanted.name, secret });
    });
  }

  @Get(':key/rotate')
  async askToRotate(@Asked() { to, id }: AdminRequest): Promise<Reply> {
    const key = await this.find(to, id);
    return formReply(rotationForm(to, rotationOf(key, to), key));
  }

  /** Makes a key in place of another, and shows it this once. */
  @Post(':key/rotate')
  async rotate(@Asked() { to, id }: AdminRequest, @FormBody() values: URLSearchParams): Promise<Reply> {
    const key = await this.find(to, id);
    const { workspaceId } = to.session;
    const view = (form: Filled): AdminFormView => rotationForm(to, form, key);
    return answerForm(view, values, async () => {
      const rotation = { ...readRotation(values, to.timeZone), of: { workspaceId } };
      const secret = await rotateApiKey(this.recorded(to), key.id, rotation);
      this.log.note(to, 'rotate-key', key.id);
      return this.showOnce(to, { name: key.name, secret });
    });
  }

  @Post(':key/revoke')
  async revoke(@Asked() { to, id: named }: AdminRequest): Promise<Reply> {
    const id = idIn(named);
    const { workspaceId } = to.session;
    const revoke = (tx: EntityManager): Promise<boolean> => revokeApiKey(tx, id ?? '', workspaceId);
    if (id === undefined || !(await this.recorded(to).transaction(revoke))) throw notFound();
    this.log.note(to, 'revoke-key', id);
    return seeOther(`${KEYS_PATH}?revoked=${id}`);
  }

  /** The database, whose events say who has changed something. */
  private recorded(to: Administrator): EntityManager {
    const { workspaceId } = to.session;
    return boundTo(this.dataSource.manager, { workspaceId, keyId: undefined, origin: originOf(to) });
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
