import { type Principal } from '../common/request.js';
import { Inject, Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { CONFIG, type Config } from '../config.js';
import { MessageEntity } from './message.entity.js';
import { idempotentRequest, once } from '../common/http/idempotency.js';
import { pagedList, type RequestAddress } from '../common/http/paged-list.js';
import { type TaskList } from '../common/http/replies.js';
import { notFound, Refusal } from '../common/errors.js';
import { Doorbell } from '../common/ops/doorbell.js';
import { type Workspace } from '../workflows/model/workspace.js';
import { type MessagesQuery, serializeMessage } from './message.dto.js';
import {
  type ListedMessage,
  listMessages,
  messageJob,
  type MessageKey,
  retryMessage,
} from './messages.repository.js';
import { type ReadPage } from '../common/id-page.js';

@Injectable()
export class MessagesService {
  constructor(
    @InjectRepository(MessageEntity) private readonly messages: Repository<MessageEntity>,
    private readonly doorbell: Doorbell,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  async list(
    { id: workspaceId, rows }: Workspace,
    { keyId }: Pick<Principal, 'keyId'>,
    query: MessagesQuery,
    address: RequestAddress,
  ): Promise<TaskList> {
    const { state } = query;
    const read: ReadPage<ListedMessage> = (after, limit) =>
      listMessages(this.messages.manager, workspaceId, state, after, limit);
    const write = (row: ListedMessage): string => JSON.stringify(serializeMessage(row));
    const scope = { workspaceId, keyId, workflow: { id: 0, cursorKey: rows.workspace.cursorKey } };
    return pagedList({ scope, name: ['messages', state], read, write }, query, address, this.config);
  }

  /** Makes a failed or queued message due at once. Throws 409 if the message was already sent. */
  async retry({ id: workspaceId }: Workspace, id: string, key: string | undefined): Promise<void> {
    if (!/^[\w-]{1,64}$/.test(id) || !(await this.messages.existsBy({ workspaceId, id })))
      throw notFound('There is no message with this id.');
    const asked = { route: 'messages/retry', path: [id], body: new Map() };
    const request = idempotentRequest({ workspaceId }, key, asked);
    await this.messages.manager.transaction((tx) =>
      once(tx, request, async () => {
        if (!(await retryMessage(tx, { workspaceId, id })))
          throw new Refusal('conflict', 'This message has already been sent.');
        return {};
      }),
    );
    this.doorbell.ring(messageJob, { workspaceId, id } satisfies MessageKey);
  }
}
