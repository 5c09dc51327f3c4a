import { en } from './words.js';
import { Get, Post } from '@nestjs/common';
import { type MessageState, messageStates } from '../../database/column-values.js';
import { nowhere, readStretch } from '../../http/paged-list.js';
import { Refusal } from '../../lib/errors.js';
import { type Reply } from '../../lib/reply.js';
import { type SentMessage } from '../../messages/message.dto.js';
import { MessagesService } from '../../messages/messages.service.js';
import { FormBody } from '../form-body.js';
import { seeOther } from '../page.js';
import { Badge, type Tone } from '../parts/badge.js';
import { ButtonForm } from '../parts/form.js';
import { goodNotice, type Notice } from '../parts/notices.js';
import { Sayings, said } from '../parts/sayings.js';
import { Instant } from '../parts/time.js';
import { addressOf, type AdminRow, ListKinds, adminListReply } from './admin-list.js';
import { AdminLog, type AdminRequest, Asked, idIn, pageOf, WorkspaceAdminPages } from './admin-pages.js'; // prettier-ignore

const PATH = '/admin/messages';

/** Messages that actions have left to be sent, those that failed first of all, with a button for each that was not sent. */
@WorkspaceAdminPages('admin/messages')
export class AdminMessagesController {
  constructor(
    private readonly messages: MessagesService,
    private readonly log: AdminLog,
  ) {}

  @Get()
  async list(@Asked() place: AdminRequest): Promise<Reply> {
    const { retried } = en.admin.message;
    return this.page(place, place.query.has('retried') ? goodNotice(retried) : undefined);
  }

  /** Has a message sent again. */
  @Post()
  async retry(@Asked() place: AdminRequest, @FormBody() form: URLSearchParams): Promise<Reply> {
    const { reader } = place;
    const id = idIn(form.get('message')) ?? '';
    try {
      await this.messages.retry(reader.workspace, id, undefined);
    } catch (error) {
      if (!(error instanceof Refusal) || error.kind !== 'conflict') throw error;
      return this.page(place, { tone: 'bad', lines: [said(error.said)] });
    }
    this.log.note(reader, 'retry-message', id);
    return seeOther(addressOf(PATH, { state: form.get('state') ?? undefined, retried: '1' }));
  }

  /** Those of one state, newest first. */
  private async page({ reader, query }: AdminRequest, notice: Notice | undefined): Promise<Reply> {
    const state = messageStates.find((one) => one === query.get('state')) ?? 'failed';
    const after = query.get('after') ?? undefined;
    const holder = { keyId: reader.user.id };
    const list = await this.messages.list(reader.workspace, holder, pageOf(state, after), nowhere);
    const { shown, next } = await readStretch<SentMessage>(list);
    const { message: words, messages: title } = en.admin;
    const kinds = [...messageStates].reverse();
    return adminListReply(
      {
        title,
        lead: words.lead,
        notice,
        filters: (
          <ListKinds
            label={en.time.state}
            kinds={kinds.map((one) => [addressOf(PATH, { state: one }), words.states[one], one === state])}
          />
        ),
        things: shown,
        row: (message) => messageRow(message),
        empty: ['comment', words.nothing[state] ?? ''],
        more: { path: PATH, query: { state }, next, isFirst: after === undefined },
      },
      { status: notice?.tone === 'bad' ? 409 : 200 },
    );
  }
}

const tones: Readonly<Record<MessageState, Tone>> = { queued: 'waiting', sent: 'good', failed: 'bad' };

function messageRow(message: SentMessage): AdminRow {
  const words = en.admin.message;
  const { id, kind, state, cause, subject, task } = message;
  return {
    state: <Badge tone={tones[state]}>{words.states[state]}</Badge>,
    title: subject ?? words.kinds[kind],
    under: (
      <>
        <span class="muted">
          {message.to}
          {task.unique_id !== null && (
            <>
              {' · '}
              <a href={task.url}>{task.unique_id}</a>
            </>
          )}
        </span>
        {cause !== null && (
          <span class="late">
            <Sayings all={[said(cause)]} />
          </span>
        )}
      </>
    ),
    due: (
      <>
        <Instant at={new Date(message.at)} isShort />
        {state !== 'sent' && (
          <ButtonForm
            action={PATH}
            look="quiet small"
            fields={{ message: id, state }}
            label={words.retryOf(message.to)}
          >
            {words.retry}
          </ButtonForm>
        )}
      </>
    ),
  };
}
