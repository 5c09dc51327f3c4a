import { messageStates } from '../../common/column-values.js';
import { nowhere, readStretch } from '../../common/http/paged-list.js';
import { type SentMessage } from '../../messages/message.dto.js';
import { MessagesService } from '../../messages/messages.service.js';
import { StateBadge, stateName } from '../parts/badge.js';
import { Instant } from '../parts/time.js';
import { adminPath, type AdminPage, pageOf } from './admin-page.js';
import { ButtonForm } from '../parts/form.js';

/** The messages that actions have entered, failed ones first. */
export const messagesPage: AdminPage<string, SentMessage> = {
  path: 'messages',
  one: 'message',
  isOfWorkspace: true,
  title: 'Messages',
  icon: 'comment',
  lead: 'Mail and posts that actions send. They are kept for 30 days.',
  empty: ['No messages in this state'],
  filters: () => [
    {
      name: 'state',
      label: 'State',
      initial: 'failed',
      options: messageStates.map((one) => [one, stateName(one)]),
    },
  ],
  async rows({ reader, get }, { state, after }) {
    const query = pageOf(messageStates, state, after);
    return readStretch<SentMessage>(
      await get(MessagesService).list(reader.workspace, { keyId: reader.user.id }, query, nowhere),
    );
  },
  line: ({ id, kind, state, cause, subject, task, to: recipient, at }) => ({
    state: <StateBadge state={state} />,
    title: subject ?? (kind === 'email' ? 'Mail' : 'Post'),
    under: (
      <>
        <span class="muted">
          {recipient}
          {task.unique_id !== null && ' · '}
          {task.unique_id !== null && <a href={task.url}>{task.unique_id}</a>}
        </span>
        {cause !== null && <span class="late">{cause}</span>}
      </>
    ),
    due: (
      <>
        <Instant at={new Date(at)} isShort />
        {state !== 'sent' && (
          <ButtonForm
            action={adminPath('messages', id, 'retry')}
            look="quiet small"
            label={`Send again: ${recipient}`}
          >
            Send again
          </ButtonForm>
        )}
      </>
    ),
  }),
  find: ([id, ...others]) => Promise.resolve(others.length === 0 ? id : undefined),
  operations: {
    retry: {
      title: 'Send again',
      run: (id, { reader, get, key }) => get(MessagesService).retry(reader.workspace, id, key),
      done: () => 'The message is on its way again.',
    },
  },
};
