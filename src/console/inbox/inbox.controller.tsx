import { Get, Post } from '@nestjs/common';
import { openCursor, sealCursor } from '../../common/cursor.js';
import { contentReply } from '../../common/http/replies.js';
import { type Reply } from '../../common/reply.js';
import { type LineName } from '../../messages/inbox/inbox.js';
import { Inboxes, type InboxReader, type LineOperation } from '../../messages/inbox/inboxes.js';
import { notFound } from '../../common/errors.js';
import { AskedHere, type AskedOfPages, CurrentReader, Pages } from '../console-controller.js';
import { FormBody } from '../form-body.js';
import { pageReply, seeOther } from '../page.js';
import { type Notice } from '../parts/notices.js';
import { type SignedIn } from '../reader.js';
import { notificationReasons } from '../../common/column-values.js';
import { type AskedPlace, InboxPage, inboxPath } from './inbox-page.js';

@Pages('inbox')
export class InboxController {
  constructor(private readonly inboxes: Inboxes) {}

  @Get()
  async page(@AskedHere() { reader, query }: AskedOfPages): Promise<Reply> {
    return this.show(reader, placeOf(query));
  }

  @Get('count')
  count(@CurrentReader() { inbox }: SignedIn): Reply {
    return contentReply(JSON.stringify({ count: inbox.unread }), json);
  }

  /** Carries out the operation of a form on its rows, and redirects to the same place. */
  @Post()
  async change(@CurrentReader() reader: SignedIn, @FormBody() form: URLSearchParams): Promise<Reply> {
    const [lines, operation, place] = [linesIn(reader, form), operationIn(form), placeOf(form)];
    const until = new Date(form.get('all') ?? '');
    if (operation?.does === 'done' && form.has('all') && !Number.isNaN(until.getTime())) {
      await this.inboxes.finish(readerOf(reader), place.reason, until);
      return seeOther(inboxPath({ reason: place.reason }));
    }
    if (lines.length === 0 || !operation) throw notFound();
    let isDone = false;
    for (const line of lines)
      isDone = (await this.inboxes.change(readerOf(reader), line, operation, reader.timeZone)) || isDone;
    if (isDone) return seeOther(inboxPath(place));
    const text =
      operation.does === 'snooze' ? 'Choose a day in the future.' : 'This notification no longer exists.';
    return this.show(reader, place, { tone: 'bad', lines: [text] });
  }

  private async show(reader: SignedIn, place: AskedPlace, notice?: Notice): Promise<Reply> {
    const { reason } = place;
    const of = { after: openPlace(reader, place.after), reason };
    const page = await this.inboxes.page(readerOf(reader), of);
    const last = page.lines.at(-1);
    const next = page.hasMore && last ? sealPlace(reader, last) : undefined;
    const shown = { lines: page.lines, ...place, next };
    return pageReply(<InboxPage shown={shown} notice={notice} />, {
      status: notice ? 422 : 200,
    });
  }
}

/** The part of the inbox that an address or a form selects. An unknown reason is ignored. */
function placeOf(query: URLSearchParams): AskedPlace {
  const reason = notificationReasons.find((each) => each === query.get('reason'));
  return { after: query.get('after') || undefined, reason };
}

const json = { 'Content-Type': 'application/json', 'Cache-Control': 'private, no-store' };

const readerOf = ({ workspace, user }: SignedIn): InboxReader => ({ workspace, userId: user.id });

/** The rows that a form names: assignments by one request, or tasks by their workflow and task id. */
function linesIn({ workflows }: SignedIn, form: URLSearchParams): LineName[] {
  const requests = form.getAll('request').map((requestId) => ({ requestId }));
  const tasks = form.getAll('line').flatMap((text) => {
    const [slug, publicId = ''] = text.split('/');
    const workflow = workflows.find((each) => each.slug === slug);
    return workflow ? { workflowId: workflow.id, publicId } : [];
  });
  return [...requests, ...tasks];
}

function operationIn(form: URLSearchParams): LineOperation | undefined {
  const does = form.get('do');
  if (does === 'done' || does === 'read' || does === 'unread') return { does };
  if (does === 'tomorrow' || does === 'monday') return { does: 'snooze', until: does };
  return does === 'snooze' ? { does, until: form.get('until') ?? '' } : undefined;
}

const holderOf = ({ workspace }: SignedIn) => ({ cursorKey: workspace.rows.workspace.cursorKey, id: 0 });

function sealPlace(reader: SignedIn, { at, line }: { readonly at: Date; readonly line: string }): string {
  return sealCursor(holderOf(reader), ['inbox', reader.user.id], [at.toISOString(), line]);
}

/** The row after which a page begins; 404 if the cursor is not from this inbox. */
function openPlace(reader: SignedIn, cursor: string | undefined): { at: Date; line: string } | undefined {
  if (cursor === undefined) return undefined;
  const [at, line] = openCursor(holderOf(reader), ['inbox', reader.user.id], cursor) ?? [];
  if (typeof at !== 'string' || typeof line !== 'string') throw notFound();
  return { at: new Date(at), line };
}
