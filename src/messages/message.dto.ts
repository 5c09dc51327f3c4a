import { TaskAddress } from '../tasks/tasks.dto.js';
import { ApiProperty } from '@nestjs/swagger';
import { type MessageKind, messageKinds, type MessageState, messageStates } from '../common/column-values.js';
import { PageQuery } from '../common/http/paged-list.js';
import { OneOf } from '../common/http/query.decorator.js';
import { english, messageOfText } from '../common/message.js';
import { type ListedMessage } from './messages.repository.js';

export class SentMessage {
  @ApiProperty({ description: 'Identifies the message.' })
  readonly id!: string;

  @ApiProperty({ enum: messageKinds, description: 'Mail, or a post to a channel.' })
  readonly kind!: MessageKind;

  @ApiProperty({ description: 'The e-mail address, or the id of the channel.' })
  readonly to!: string;

  @ApiProperty({ type: String, nullable: true, description: 'The subject of mail; null for a post.' })
  readonly subject!: string | null;

  @ApiProperty({
    enum: messageStates,
    description: 'Queued until the message is sent or no further try follows.',
  })
  readonly state!: MessageState;

  @ApiProperty({ type: String, nullable: true, description: 'Why the last try failed.' })
  readonly cause!: string | null;

  @ApiProperty({ type: 'integer', description: 'The number of tries.' })
  readonly tries!: number;

  @ApiProperty({ format: 'date-time', description: 'When the message was created.' })
  readonly at!: string;

  @ApiProperty({ type: () => TaskAddress })
  readonly task!: TaskAddress;
}

export function serializeMessage(message: ListedMessage): SentMessage {
  const { shownId, kind, recipient, subject, state, cause, tries, createdAt, uniqueValue, taskUrl } = message;
  return {
    id: shownId,
    kind,
    to: recipient,
    subject,
    state,
    cause: cause === null ? null : english(messageOfText(cause)),
    tries,
    at: createdAt.toISOString(),
    task: { unique_id: uniqueValue, url: taskUrl },
  };
}

export class MessagesQuery extends PageQuery {
  @OneOf(messageStates, 'Only messages in this state.', 'MessageState')
  state?: MessageState | undefined;
}
