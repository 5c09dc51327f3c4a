import { Get, Post } from '@nestjs/common';
import { openCursor, sealCursor } from '../../http/cursor.js';
import { contentReply } from '../../http/replies.js';
import { type Reply } from '../../lib/reply.js';
import { type LineName } from '../../notifications/inbox.repository.js';
import { Inboxes, type InboxReader, type LineDeed } from '../../notifications/inboxes.js';
import { notFound } from '../../lib/errors.js';
import { type Workflow } from '../../workspace/workspace.js';
import { AskedHere, type AskedOfPages, CurrentReader, Pages } from '../console-controller.js';
import { FormBody } from '../form-body.js';
import { pageReply, seeOther } from '../page.js';
import { type Notice } from '../parts/notices.js';
import { type SignedIn } from '../reader.js';
import { titleProperty } from '../../task-store/task-title.js';
import { InboxPage } from './inbox-page.js';

/** What somebody was told of. */
@Pages('inbox')
export class InboxController {
  constructor(private readonly inboxes: Inboxes) {}

  @Get()
  async page(@AskedHere() { reader, query }: AskedOfPages): Promise<Reply> {
    return this.show(reader, query.get('after') ?? undefined);
  }

  /** How many lines are unread. */
  @Get('count')
  count(@CurrentReader() { inbox }: SignedIn): Reply {
    return contentReply(JSON.stringify({ count: inbox.unread }), json);
  }

  /** Does with a line what its form says, and leads back to where it stood. */
  @Post()
  async change(@CurrentReader() reader: SignedIn, @FormBody() form: URLSearchParams): Promise<Reply> {
    const [line, deed] = [lineIn(reader, form), deedIn(form)];
    if (!line || !deed) throw notFound();
    const after = form.get('after') ?? '';
    const isDone = await this.inboxes.change(readerOf(reader), line, deed, reader.timeZone);
    if (isDone) return seeOther(after === '' ? '/inbox' : `/inbox?after=${encodeURIComponent(after)}`);
    const text =
      deed.does === 'snooze' ? 'Choose a day in the future.' : 'This notification no longer exists.';
    return this.show(reader, after === '' ? undefined : after, { tone: 'bad', lines: [{ text }] });
  }

  private async show(reader: SignedIn, cursor: string | undefined, notice?: Notice): Promise<Reply> {
    const page = await this.inboxes.page(readerOf(reader), placeIn(reader, cursor), titleFieldOf);
    const last = page.lines.at(-1);
    const next = page.hasMore && last ? sealPlace(reader, last) : undefined;
    const shown = { lines: page.lines, after: cursor, next };
    return pageReply(<InboxPage shown={shown} notice={notice} />, {
      status: notice ? 422 : 200,
    });
  }
}

const json = { 'Content-Type': 'application/json', 'Cache-Control': 'private, no-store' };

const readerOf = ({ workspace, user }: SignedIn): InboxReader => ({ workspace, userId: user.id });

const titleFieldOf = ({ schema }: Workflow): string | undefined => titleProperty(schema.properties)?.fieldId;

function lineIn({ workflows }: SignedIn, form: URLSearchParams): LineName | undefined {
  const requestId = form.get('request');
  if (requestId !== null) return { requestId };
  const workflow = workflows.find(({ slug }) => slug === form.get('workflow'));
  return workflow && { workflowId: workflow.id, publicId: form.get('task') ?? '' };
}

function deedIn(form: URLSearchParams): LineDeed | undefined {
  const does = form.get('do');
  if (does === 'done' || does === 'read' || does === 'unread') return { does };
  if (does === 'tomorrow' || does === 'monday') return { does: 'snooze', until: does };
  return does === 'snooze' ? { does, until: form.get('until') ?? '' } : undefined;
}

const holderOf = ({ workspace }: SignedIn) => ({ cursorKey: workspace.rows.workspace.cursorKey, id: 0 });

function sealPlace(reader: SignedIn, { at, line }: { readonly at: Date; readonly line: string }): string {
  return sealCursor(holderOf(reader), ['inbox', reader.user.id], [at.toISOString(), line]);
}

/** Behind which line a page begins; 404 where the cursor is none of this inbox. */
function placeIn(reader: SignedIn, cursor: string | undefined): { at: Date; line: string } | undefined {
  if (cursor === undefined) return undefined;
  const [at, line] = openCursor(holderOf(reader), ['inbox', reader.user.id], cursor) ?? [];
  if (typeof at !== 'string' || typeof line !== 'string') throw notFound();
  return { at: new Date(at), line };
}
