import { type MessageKind, messageStates } from '../../common/column-values.js';
import { nowhere, readStretch } from '../../common/http/paged-list.js';
import { type SentMessage } from '../../messages/message.dto.js';
import { MessagesService } from '../../messages/messages.service.js';
import { StateBadge, stateName } from '../parts/badge.js';
import { ButtonForm } from '../parts/form.js';
import { Instant } from '../parts/time.js';
import { type AdminLine, adminPath, type AdminPage } from './admin-page.js';

/** The messages that actions send. At first, the list shows only failed messages. */
export const messagesPage: AdminPage = {
  path: 'messages',
  one: 'message',
  isOfWorkspace: true,
  title: 'Messages',
  icon: 'comment',
  lead: 'Mail and posts that actions send. They are kept for 30 days.',
  empty: ['No messages in this state'],
  filters: () => [
    { name: 'state', label: 'State', initial: 'failed', options: messageStates.map((one) => [one, stateName(one)]) }, // prettier-ignore
  ],
  async read({ reader: { workspace, user }, get }, { state, after }) {
    const query = { _limit: '50', _after: after, state: messageStates.find((one) => one === state) };
    const found = await get(MessagesService).list(workspace, { keyId: user.id }, query, nowhere);
    const { shown, next } = await readStretch<SentMessage>(found);
    return { lines: shown.map(messageLine), next };
  },
  open: ([id = ''], { reader, get }) =>
    Promise.resolve({
      operations: {
        retry: {
          title: 'Send again',
          async run({ key }) {
            await get(MessagesService).retry(reader.workspace, id, key);
            return { key: [] };
          },
        },
      },
    }),
};

const kindNames: Readonly<Record<MessageKind, string>> = { email: 'Mail', post: 'Post' };

const messageLine = ({
  id,
  kind,
  state,
  cause,
  subject,
  task,
  to: recipient,
  at,
}: SentMessage): AdminLine => ({
  state: <StateBadge state={state} />,
  title: subject ?? kindNames[kind],
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
});
