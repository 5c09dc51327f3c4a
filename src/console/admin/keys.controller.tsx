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
  async list(@Asked() { reader, query }: AdminRequest): Promise<Reply> {
    const keys = await this.keysOf(reader);
    const [asked, revoked] = ['revoke', 'revoked'].map((name) =>
      keys.find(({ id }) => id === query.get(name)),
    );
    return pageReply(<KeysPage keys={keys} asked={asked} revoked={revoked} />);
  }

  @Get('new')
  new(@Asked() { reader }: AdminRequest): Reply {
    const values = new URLSearchParams({ scope: 'write' });
    return formReply(newKeyForm(reader, { values, faults: [] }));
  }

  /** Makes a key, and shows it this once. */
  @Post()
  async make(@Asked() { reader }: AdminRequest, @FormBody() values: URLSearchParams): Promise<Reply> {
    const { workspaceId } = reader.session;
    const view = (form: Filled): AdminFormView => newKeyForm(reader, form);
    return answerForm(view, values, async () => {
      const wanted = await readNewKey(this.dataSource.manager, workspaceId, values, reader.timeZone);
      const id = newKeyId();
      const secret = await createApiKey(this.recorded(reader), { workspaceId, ...wanted }, id);
      this.log.note(reader, 'make-key', id);
      return this.showOnce(reader, { name: wanted.name, secret });
    });
  }

  @Get(':key/rotate')
  async askToRotate(@Asked() { reader, id }: AdminRequest): Promise<Reply> {
    const key = await this.find(reader, id);
    return formReply(rotationForm(reader, rotationOf(key, reader), key));
  }

  /** Makes a key in place of another, and shows it this once. */
  @Post(':key/rotate')
  async rotate(@Asked() { reader, id }: AdminRequest, @FormBody() values: URLSearchParams): Promise<Reply> {
    const key = await this.find(reader, id);
    const { workspaceId } = reader.session;
    const view = (form: Filled): AdminFormView => rotationForm(reader, form, key);
    return answerForm(view, values, async () => {
      const rotation = { ...readRotation(values, reader.timeZone), of: { workspaceId } };
      const secret = await rotateApiKey(this.recorded(reader), key.id, rotation);
      this.log.note(reader, 'rotate-key', key.id);
      return this.showOnce(reader, { name: key.name, secret });
    });
  }

  @Post(':key/revoke')
  async revoke(@Asked() { reader, id: named }: AdminRequest): Promise<Reply> {
    const id = idIn(named);
    const { workspaceId } = reader.session;
    const revoke = (tx: EntityManager): Promise<boolean> => revokeApiKey(tx, id ?? '', workspaceId);
    if (id === undefined || !(await this.recorded(reader).transaction(revoke))) throw notFound();
    this.log.note(reader, 'revoke-key', id);
    return seeOther(`${KEYS_PATH}?revoked=${id}`);
  }

  /** The database, whose events say who has changed something. */
  private recorded(reader: Administrator): EntityManager {
    const { workspaceId } = reader.session;
    return boundTo(this.dataSource.manager, { workspaceId, keyId: undefined, origin: originOf(reader) });
  }

  private async showOnce(reader: Administrator, made: MadeKey): Promise<Reply> {
    const keys = await this.keysOf(reader);
    return pageReply(<KeysPage {...{ keys, made, asked: undefined, revoked: undefined }} />);
  }

  /** One in force. */
  private async find(reader: Administrator, id: string): Promise<ApiKeyEntity> {
    const key = (await this.keysOf(reader)).find((one) => one.id === id && isInForce(one));
    if (!key) throw notFound();
    return key;
  }

  private async keysOf({ session }: Administrator): Promise<ApiKeyEntity[]> {
    return findKeysOf(this.dataSource.manager, session.workspaceId);
  }
}
