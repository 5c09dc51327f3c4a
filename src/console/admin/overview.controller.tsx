import { Get } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { findKeysOf } from '../../auth/api-keys.js';
import { SessionsRepository } from '../../auth/sessions.repository.js';
import { listVersions } from '../../definitions/store/history.js';
import { countWatched } from '../../executions/executions-overview.js';
import { eventsSetAside } from '../../followers/followers.repository.js';
import { type Reply } from '../../lib/reply.js';
import { WebhooksService } from '../../webhooks/webhooks.service.js';
import { pageReply } from '../page.js';
import { type Administrator, AdminPages, type AdminRequest, Asked } from './admin-pages.js';
import { OverviewPage, type WholeOverview } from './overview-page.js';

/** How things stand. */
@AdminPages('admin')
export class AdminOverviewController {
  constructor(
    private readonly dataSource: DataSource,
    private readonly sessions: SessionsRepository,
    private readonly webhooks: WebhooksService,
  ) {}

  @Get()
  async page(@Asked() { reader }: AdminRequest): Promise<Reply> {
    const { administers, session } = reader;
    const watched = { workspaceId: session.workspaceId, workflowIds: administers.workflowIds };
    const counts = await countWatched(this.dataSource.manager, watched);
    const whole = administers.isWhole ? await this.whole(reader) : undefined;
    return pageReply(<OverviewPage counts={counts} whole={whole} />);
  }

  private async whole({ workspace }: Administrator): Promise<WholeOverview> {
    const { manager } = this.dataSource;
    const webhooks = await this.webhooks.list(workspace);
    const keys = await findKeysOf(manager, workspace.id);
    const sessions = await this.sessions.byUser(workspace.id);
    const [latest] = await listVersions(manager, workspace.id, workspace.version + 1, 1);
    const setAside = await eventsSetAside(manager, workspace.id);
    return { webhooks, keys, signedIn: sessions.length, latest, setAside };
  }
}
