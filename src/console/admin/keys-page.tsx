import { useReader } from '../reader.js';
import { en } from './words.js';
import { type VNode } from 'preact';
import { isPast } from '../../auth/api-keys.js';
import { type ApiKeyEntity } from '../../auth/api-key.entity.js';
import { Badge } from '../parts/badge.js';
import { Dialog, opens } from '../parts/dialog.js';
import { ButtonForm } from '../parts/form.js';
import { goodNotice } from '../parts/notices.js';
import { ShownOnce } from '../parts/shown-once.js';
import { Table } from '../parts/table.js';
import { Day, Instant } from '../parts/time.js';
import { ListHead, Nothing } from './admin-list.js';
import { AdminPage } from './admin-page.js';

/** Whether a key opens anything. */
export const isInForce = ({ revokedAt, expiresAt }: ApiKeyEntity): boolean =>
  !revokedAt && !isPast(expiresAt);

export const KEYS_PATH = '/admin/keys';

/** Where what is done with a key is. */
export const keyPath = ({ id }: Pick<ApiKeyEntity, 'id'>): string => `${KEYS_PATH}/${encodeURIComponent(id)}`;

/** The keys in force, and on demand those that have ended. */
export function KeysPage({ keys, asked, revoked, made }: KeysProps): VNode {
  const { keys: title, key: words } = en.admin;
  const inForce = keys.filter(isInForce);
  const former = keys.filter((key) => !isInForce(key));
  return (
    <AdminPage
      title={title}
      notice={revoked?.revokedAt ? goodNotice(words.isRevoked(revoked.name)) : undefined}
    >
      <ListHead
        title={title}
        count={inForce.length}
        button={{ href: `${KEYS_PATH}/new`, name: words.make }}
      />
      <div class="admin-column stack wide">
        {made && (
          <ShownOnce title={words.isMade(made.name)} secret={made.secret}>
            {words.isMadeMore}
          </ShownOnce>
        )}
        {inForce.length === 0 ? (
          <Nothing there={['lock', words.nothing, words.lead]} />
        ) : (
          <KeyTable keys={inForce} asked={asked} />
        )}
        {former.length > 0 && (
          <details>
            <summary>{words.former(former.length)}</summary>
            <KeyTable keys={former} asked={undefined} />
          </details>
        )}
      </div>
    </AdminPage>
  );
}

interface KeysProps {
  readonly keys: readonly ApiKeyEntity[];
  /** The one that is perhaps to be revoked. */
  readonly asked: ApiKeyEntity | undefined;
  /** The one that was just revoked. */
  readonly revoked: ApiKeyEntity | undefined;
  /** The one that was just made. */
  readonly made?: MadeKey;
}

/** A key as it is shown once. */
export interface MadeKey {
  readonly name: string;
  readonly secret: string;
}

function KeyTable({ keys, asked }: Omit<KeysProps, 'revoked' | 'made'>): VNode {
  const { keys: title, key: words } = en.admin;
  const head = [words.name, words.scope, en.time.state, en.sessions.seen, words.created];
  const canRevoke = keys.some(isInForce);
  return (
    <>
      <Table
        caption={title}
        head={canRevoke ? [...head, <span class="visually-hidden">{words.doing}</span>] : head}
        rows={keys.map((key) => [
          <>
            <strong>{key.name}</strong> <code class="muted">{key.id}</code>
          </>,
          <>
            <Badge tone={key.scope === 'admin' ? 'accent' : 'plain'}>{words.scopes[key.scope]}</Badge>
            <Narrowed apiKey={key} />
          </>,
          <State apiKey={key} />,
          key.lastUsedOn === null ? words.never : <Day day={key.lastUsedOn} />,
          <Instant at={key.createdAt} isShort />,
          ...(canRevoke ? [<KeyActions apiKey={key} />] : []),
        ])}
      />
      {canRevoke && keys.map((key) => <RevokeDialog apiKey={key} isAsking={key === asked} />)}
    </>
  );
}

interface KeyProps {
  readonly apiKey: ApiKeyEntity;
}

/** What a key is narrowed to, a line each. */
function Narrowed({ apiKey: { narrowing, userId } }: KeyProps): VNode {
  const reader = useReader();
  const { narrowing: words } = en.admin.key;
  const email = userId === null ? undefined : reader.workspace.users.get(userId)?.email;
  const named = (['workflows', 'actions', 'fields'] as const).map(
    (name) => [name, narrowing?.[name]] as const,
  );
  const lines = [...named, ['as', email === undefined ? undefined : [email]] as const];
  return (
    <>
      {narrowing?.creates && <div class="muted">{words.creates.label}</div>}
      {lines.map(
        ([name, names]) =>
          names && (
            <div class="muted">
              {words[name].label}: {names.join(', ')}
            </div>
          ),
      )}
    </>
  );
}

function State({ apiKey: { revokedAt, expiresAt } }: KeyProps): VNode {
  const words = en.admin.key;
  const at = revokedAt ?? expiresAt;
  if (!at) return <span>{words.inForce}</span>;
  const isOver = isPast(at);
  return (
    <span class={isOver ? 'muted' : ''}>
      {revokedAt ? words.revoked : isOver ? words.ended : words.until} <Instant at={at} />
    </span>
  );
}

const dialogOf = ({ id }: ApiKeyEntity): string => `revoke-${id}`;

function KeyActions({ apiKey }: KeyProps): VNode {
  const words = en.admin.key;
  return (
    <span class="line">
      <a
        class="button small"
        href={`${keyPath(apiKey)}/rotate`}
        aria-label={`${words.rotate}: ${apiKey.name}`}
      >
        {words.rotate}…
      </a>
      <a
        class="button danger small"
        href={`${KEYS_PATH}?revoke=${apiKey.id}`}
        aria-label={`${words.revoke}: ${apiKey.name}`}
        {...opens(dialogOf(apiKey))}
      >
        {words.revoke}…
      </a>
    </span>
  );
}

/** Asks first: programs stop at once. */
function RevokeDialog({ apiKey, isAsking }: KeyProps & { readonly isAsking: boolean }): VNode {
  const words = en.admin.key;
  return (
    <Dialog
      id={dialogOf(apiKey)}
      title={words.revokeTitle(apiKey.name)}
      isOpen={isAsking}
      back={KEYS_PATH}
      answer={
        <ButtonForm action={`${keyPath(apiKey)}/revoke`} look="danger">
          {words.revoke}
        </ButtonForm>
      }
    >
      <p>{words.revokeMore}</p>
    </Dialog>
  );
}
