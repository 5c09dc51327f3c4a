import { Get, Post } from '@nestjs/common';
import { messageStates } from '../../entities/column-values.js';
import { nowhere, readStretch } from '../../http/paged-list.js';
import { Refusal } from '../../lib/errors.js';
import { asItIs } from '../../lib/message.js';
import { type Reply } from '../../lib/reply.js';
import { type SentMessage } from '../../messages/message.dto.js';
import { MessagesService } from '../../messages/messages.service.js';
import { FormBody } from '../form-body.js';
import { pageReply, seeOther } from '../page.js';
import { type Notice } from '../parts/notices.js';
import { AdminLog, type AdminRequest, Asked, idIn, pageOf, WorkspaceAdminPages } from './admin-pages.js';
import { MESSAGES_PATH, MessagesPage } from './messages-page.js';
import { addressOf } from './admin-page.js';

/** Messages that actions have left to be sent, those that failed first of all. */
@WorkspaceAdminPages('admin/messages')
export class AdminMessagesController {
  constructor(
    private readonly messages: MessagesService,
    private readonly log: AdminLog,
  ) {}

  @Get()
  async list(@Asked() place: AdminRequest): Promise<Reply> {
    const { words } = place.to;
    const isRetried = place.query.has('retried');
    const notice: Notice = { tone: 'good', lines: [{ text: words.admin.message.retried }] };
    return this.page(place, isRetried ? notice : undefined);
  }

  /** Has a message sent again. */
  @Post()
  async retry(@Asked() place: AdminRequest, @FormBody() form: URLSearchParams): Promise<Reply> {
    const { to } = place;
    const id = idIn(form.get('message')) ?? '';
    try {
      await this.messages.retry(to.workspace, id, undefined);
    } catch (error) {
      if (!(error instanceof Refusal) || error.kind !== 'conflict') throw error;
      return this.page(place, { tone: 'bad', lines: [to.words.said(error.said)] });
    }
    this.log.note(to, 'retry-message', id);
    return seeOther(addressOf(MESSAGES_PATH, { state: form.get('state') ?? undefined, retried: '1' }));
  }

  private async page({ to, query }: AdminRequest, notice: Notice | undefined): Promise<Reply> {
    const state = messageStates.find((one) => one === query.get('state')) ?? 'failed';
    const after = query.get('after') ?? undefined;
    const holder = { keyId: to.user.id };
    const list = await this.messages.list(to.workspace, holder, pageOf(state, after), nowhere, asItIs);
    const { shown: messages, next } = await readStretch<SentMessage>(list);
    const view = { to, state, messages, next, isFirst: after === undefined, notice };
    return pageReply(<MessagesPage {...view} />, { status: notice?.tone === 'bad' ? 409 : 200 });
  }
}
