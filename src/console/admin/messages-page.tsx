import { type VNode } from 'preact';
import { type MessageState, messageStates } from '../../entities/column-values.js';
import { type SentMessage } from '../../messages/message.dto.js';
import { Badge, type Tone } from '../parts/badge.js';
import { Empty } from '../parts/empty.js';
import { ButtonForm } from '../parts/form.js';
import { type Notice } from '../parts/notices.js';
import { Sayings } from '../parts/sayings.js';
import { Instant } from '../parts/time.js';
import { addressOf, AdminListPage } from './admin-page.js';
import { type Administrator } from './admin-pages.js';

export const MESSAGES_PATH = '/admin/messages';

/** The messages of one state, newest first, with a button for each that was not sent. */
export function MessagesPage(view: MessagesProps): VNode {
  const { to, state, messages, next, isFirst, notice } = view;
  const { message: words, messages: title } = to.words.admin;
  return (
    <AdminListPage
      to={to}
      title={title}
      lead={words.lead}
      notice={notice}
      filters={<MessageStates to={to} chosen={state} />}
      things={messages}
      row={(message) => <MessageRow to={to} message={message} />}
      empty={<Empty icon="comment" title={words.nothing[state] ?? ''} />}
      more={{ path: MESSAGES_PATH, query: { state }, next, isFirst }}
    />
  );
}

interface MessagesProps {
  readonly to: Administrator;
  readonly state: MessageState;
  readonly messages: readonly SentMessage[];
  readonly next: string | undefined;
  readonly isFirst: boolean;
  readonly notice: Notice | undefined;
}

function MessageStates({ to, chosen }: { readonly to: Administrator; readonly chosen: MessageState }): VNode {
  const words = to.words.admin.message;
  return (
    <nav class="choices-of-list" aria-label={words.state}>
      {[...messageStates].reverse().map((state) => (
        <a href={addressOf(MESSAGES_PATH, { state })} aria-current={state === chosen ? 'true' : undefined}>
          {words.states[state]}
        </a>
      ))}
    </nav>
  );
}

const tones: Readonly<Record<MessageState, Tone>> = { queued: 'waiting', sent: 'good', failed: 'bad' };

function MessageRow({ to, message }: { readonly to: Administrator; readonly message: SentMessage }): VNode {
  const words = to.words.admin.message;
  const { id, kind, state, cause, subject, task } = message;
  return (
    <div class="row webhook-row">
      <Badge tone={tones[state]}>{words.states[state]}</Badge>
      <span class="execution-what">
        <span class="row-title">{subject ?? words.kinds[kind]}</span>
        <span class="muted webhook-url">
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
            <Sayings all={[to.words.said(cause)]} />
          </span>
        )}
      </span>
      <span class="row-due">
        <Instant at={new Date(message.at)} to={to} timeZone={to.timeZone} isShort />
        {state !== 'sent' && (
          <ButtonForm
            action={MESSAGES_PATH}
            look="quiet small"
            fields={{ message: id, state }}
            label={words.retryOf(message.to)}
          >
            {words.retry}
          </ButtonForm>
        )}
      </span>
    </div>
  );
}
