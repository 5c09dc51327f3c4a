import { Get } from '@nestjs/common';
import { type Reply } from '../../lib/reply.js';
import { BinService, type DeletedTask } from '../../tasks/bin/bin.service.js';
import { type Scope } from '../../workspace/scope.js';
import { RestoreButton } from '../bin/bin-pages.js';
import { Entrances } from '../entrances.js';
import { Person } from '../parts/avatar.js';
import { Instant } from '../parts/time.js';
import { calledIn } from '../task-shown.js';
import { addressOf, type AdminRow, ListKinds, adminListReply } from './admin-list.js';
import { AdminPages, type Administrator, type AdminRequest, Asked } from './admin-pages.js';
import { watchedBy } from './executions.controller.js';

const PATH = '/admin/bin';
const ROWS = 50;

/** The bins of the workflows that somebody administers, one at a time. */
@AdminPages('admin/bin')
export class AdminBinController {
  constructor(
    private readonly entrances: Entrances,
    private readonly bin: BinService,
  ) {}

  @Get()
  async list(@Asked() { to, request, query }: AdminRequest): Promise<Reply> {
    const watched = watchedBy(to);
    const chosen = watched.find(({ slug }) => slug === query.get('workflow')) ?? watched[0];
    const scope = await this.entrances.enter(to, request, chosen?.slug ?? '');
    const after = /^\d{1,18}$/.exec(query.get('after') ?? '')?.[0];
    const { tasks, next } = await this.bin.list(scope, after ?? '0', ROWS);
    const { title, lead, nothing, nothingMore } = to.words.bin;
    const workflow = scope.workflow.slug;
    return adminListReply({
      to,
      title,
      lead,
      filters: (
        <ListKinds
          label={to.words.workflows}
          kinds={watched.map(({ slug, name }) => [
            addressOf(PATH, { workflow: slug }),
            name,
            slug === workflow,
          ])}
        />
      ),
      things: tasks,
      row: (deleted) => deletedRow(to, scope, deleted),
      empty: ['trash', nothing, nothingMore],
      more: { path: PATH, query: { workflow }, next, isFirst: after === undefined },
    });
  }
}

function deletedRow(to: Administrator, scope: Scope, deleted: DeletedTask): AdminRow {
  const { users, stages } = scope.workflow.schema;
  const by = users.get(deleted.deletedBy ?? '');
  return {
    title: calledIn(scope.workflow, deleted.task),
    under: (
      <span class="muted">
        {stages.get(deleted.task.stageId).name} · {to.words.bin.by}{' '}
        {by ? <Person user={by} /> : to.words.bin.byProgram}
      </span>
    ),
    due: (
      <>
        <Instant at={deleted.deletedAt} to={to} isShort />
        <RestoreButton to={to} scope={scope} deleted={deleted} look="quiet small" />
      </>
    ),
  };
}
