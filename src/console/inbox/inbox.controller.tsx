import { Get, Post } from '@nestjs/common';
import { openCursor, sealCursor } from '../../common/cursor.js';
import { type Reply } from '../../common/reply.js';
import {
  Inboxes,
  type InboxReader,
  lineOperations,
  type ShownLine,
  type InboxTask,
} from '../../messages/inbox/inboxes.js';
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

  /** Applies an operation to the chosen rows, or marks all rows up to an instant as done. */
  @Post()
  async change(@CurrentReader() reader: SignedIn, @FormBody() form: URLSearchParams): Promise<Reply> {
    const [lines, place] = [linesIn(reader, form), placeOf(form)];
    const operation = lineOperations.find((each) => each === form.get('do'));
    const until = new Date(form.get('all') ?? '');
    if (operation === 'done' && form.has('all') && !Number.isNaN(until.getTime())) {
      await this.inboxes.finish(readerOf(reader), place.reason, until);
      return seeOther(inboxPath({ reason: place.reason }));
    }
    if (lines.length === 0 || !operation) throw notFound();
    let isDone = false;
    for (const line of lines)
      isDone = (await this.inboxes.change(readerOf(reader), line, operation, place.reason)) || isDone;
    if (isDone) return seeOther(inboxPath(place));
    return this.show(reader, place, { tone: 'bad', lines: ['This notification no longer exists.'] });
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

/** The page and the reason that a URL or a form selects. An unknown reason is ignored. */
function placeOf(query: URLSearchParams): AskedPlace {
  const reason = notificationReasons.find((each) => each === query.get('reason'));
  return { after: query.get('after') || undefined, reason };
}

const readerOf = ({ workspace, user }: SignedIn): InboxReader => ({ workspace, userId: user.id });

/** The rows that a form names, each by its workflow and task id. */
function linesIn({ workflows }: SignedIn, form: URLSearchParams): InboxTask[] {
  return form.getAll('line').flatMap((text) => {
    const [slug, publicId = ''] = text.split('/');
    const workflow = workflows.find((each) => each.slug === slug);
    return workflow ? { workflowId: workflow.id, publicId } : [];
  });
}

const holderOf = ({ workspace }: SignedIn) => ({ cursorKey: workspace.rows.workspace.cursorKey, id: 0 });

type Place = Pick<ShownLine, 'at' | 'taskId'>;

function sealPlace(reader: SignedIn, { at, taskId }: Place): string {
  return sealCursor(holderOf(reader), ['inbox', reader.user.id], [at.toISOString(), taskId]);
}

/** Reads the row after which a page begins. Throws 404 if the cursor is not from this inbox. */
function openPlace(reader: SignedIn, cursor: string | undefined): Place | undefined {
  if (cursor === undefined) return undefined;
  const [at, taskId] = openCursor(holderOf(reader), ['inbox', reader.user.id], cursor) ?? [];
  if (typeof at !== 'string' || typeof taskId !== 'string') throw notFound();
  return { at: new Date(at), taskId };
}
