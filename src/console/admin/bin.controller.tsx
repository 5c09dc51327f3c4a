import { Get } from '@nestjs/common';
import { type VNode } from 'preact';
import { type Reply } from '../../lib/reply.js';
import { BinService, type Bin, type DeletedTask } from '../../tasks/bin/bin.service.js';
import { type Scope } from '../../workspace/scope.js';
import { type Workflow } from '../../workspace/workspace.js';
import { calledIn, RestoreButton } from '../bin/bin-pages.js';
import { Entrances } from '../entrances.js';
import { pageReply } from '../page.js';
import { Empty } from '../parts/empty.js';
import { Person } from '../parts/avatar.js';
import { Instant } from '../parts/time.js';
import { addressOf, AdminListPage } from './admin-page.js';
import { AdminPages, type Administrator, type AdminRequest, Asked } from './admin-pages.js';
import { watchedBy } from './executions.controller.js';

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
    const bin = await this.bin.list(scope, after ?? '0', ROWS);
    return pageReply(
      <BinPage to={to} scope={scope} watched={watched} bin={bin} isFirst={after === undefined} />,
    );
  }
}

const ROWS = 50;
const BIN_PATH = '/admin/bin';

function BinPage({ to, scope, watched, bin, isFirst }: BinProps): VNode {
  const words = to.words.bin;
  const { slug } = scope.workflow;
  return (
    <AdminListPage
      to={to}
      title={words.title}
      lead={words.lead}
      filters={
        <nav class="choices-of-list" aria-label={to.words.workflows}>
          {watched.map((workflow) => (
            <a
              href={addressOf(BIN_PATH, { workflow: workflow.slug })}
              aria-current={workflow.slug === slug ? 'true' : undefined}
            >
              {workflow.name}
            </a>
          ))}
        </nav>
      }
      things={bin.tasks}
      row={(deleted) => <DeletedRow to={to} scope={scope} deleted={deleted} />}
      empty={
        <Empty icon="trash" title={words.nothing}>
          {words.nothingMore}
        </Empty>
      }
      more={{ path: BIN_PATH, query: { workflow: slug }, next: bin.next, isFirst }}
    />
  );
}

interface BinProps {
  readonly to: Administrator;
  readonly scope: Scope;
  readonly watched: readonly Workflow[];
  readonly bin: Bin;
  readonly isFirst: boolean;
}

function DeletedRow({ to, scope, deleted }: DeletedRowProps): VNode {
  const { users, stages } = scope.workflow.schema;
  const by = users.get(deleted.deletedBy ?? '');
  return (
    <div class="row webhook-row">
      <span class="execution-what">
        <span class="row-title">{calledIn(scope, deleted)}</span>
        <span class="muted">
          {stages.get(deleted.task.stageId).name} · {to.words.bin.by}{' '}
          {by ? <Person user={by} /> : to.words.bin.byProgram}
        </span>
      </span>
      <span class="row-due">
        <Instant at={deleted.deletedAt} to={to} timeZone={to.timeZone} isShort />
        <RestoreButton to={to} scope={scope} deleted={deleted} look="quiet small" />
      </span>
    </div>
  );
}

interface DeletedRowProps {
  readonly to: Administrator;
  readonly scope: Scope;
  readonly deleted: DeletedTask;
}
