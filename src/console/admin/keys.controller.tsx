import { Get, Param, Post, Req } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { keysOf, revokeApiKey } from '../../auth/api-keys.js';
import { notFound } from '../../lib/errors.js';
import { type Reply } from '../../lib/reply.js';
import { readQuery } from '../../ops/query.js';
import { pageReply, seeOther } from '../page.js';
import { type PageRequest } from '../reader.js';
import { AdminLog } from './admin-log.js';
import { type Administrator, CurrentAdministrator, WorkspaceAdminPages } from './admin-pages.js';
import { idIn } from './execution-pages.js';
import { KeysPage } from './keys-page.js';

/** The keys of programs: what they may do and when they were used, but never the keys themselves. */
@WorkspaceAdminPages('admin/keys')
export class AdminKeysController {
  constructor(
    private readonly dataSource: DataSource,
    private readonly log: AdminLog,
  ) {}

  /** `revoke` names the key that is asked about, `revoked` one that just was. */
  @Get()
  async page(@CurrentAdministrator() to: Administrator, @Req() request: PageRequest): Promise<Reply> {
    const query = readQuery(request.originalUrl);
    const keys = await keysOf(this.dataSource.manager, to.session.workspaceId);
    const [asked, revoked] = ['revoke', 'revoked'].map((name) =>
      keys.find(({ id }) => id === query.get(name)),
    );
    return pageReply(<KeysPage {...{ to, keys, asked, revoked }} />);
  }

  @Post(':key/revoke')
  async revoke(@CurrentAdministrator() to: Administrator, @Param('key') named: string): Promise<Reply> {
    const id = idIn(named);
    const { manager } = this.dataSource;
    if (id === undefined || !(await revokeApiKey(manager, id, to.session.workspaceId))) throw notFound();
    this.log.note(to, 'revoke-key', id);
    return seeOther(`/admin/keys?revoked=${id}`);
  }
}
