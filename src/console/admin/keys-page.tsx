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
import { type Administrator } from './admin-pages.js';

/** Whether a key opens anything. */
export const isInForce = ({ revokedAt, expiresAt }: ApiKeyEntity): boolean =>
  !revokedAt && !isPast(expiresAt);

export const KEYS_PATH = '/admin/keys';

/** Where what is done with a key is. */
export const keyPath = ({ id }: Pick<ApiKeyEntity, 'id'>): string => `${KEYS_PATH}/${encodeURIComponent(id)}`;

/** The keys in force, and on demand those that have ended. */
export function KeysPage({ to, keys, asked, revoked, made }: KeysProps): VNode {
  const { keys: title, key: words } = to.words.admin;
  const inForce = keys.filter(isInForce);
  const former = keys.filter((key) => !isInForce(key));
  return (
    <AdminPage
      to={to}
      title={title}
      notice={revoked?.revokedAt ? goodNotice(words.isRevoked(revoked.name)) : undefined}
    >
      <ListHead
        to={to}
        title={title}
        count={inForce.length}
        button={{ href: `${KEYS_PATH}/new`, name: words.make }}
      />
      <div class="admin-column stack wide">
        {made && (
          <ShownOnce to={to} title={words.isMade(made.name)} secret={made.secret}>
            {words.isMadeMore}
          </ShownOnce>
        )}
        {inForce.length === 0 ? (
          <Nothing there={['lock', words.nothing, words.lead]} />
        ) : (
          <KeyTable to={to} keys={inForce} asked={asked} />
        )}
        {former.length > 0 && (
          <details>
            <summary>{words.former(former.length)}</summary>
            <KeyTable to={to} keys={former} asked={undefined} />
          </details>
        )}
      </div>
    </AdminPage>
  );
}

interface KeysProps {
  readonly to: Administrator;
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

function KeyTable({ to, keys, asked }: Omit<KeysProps, 'revoked' | 'made'>): VNode {
  const { keys: title, key: words } = to.words.admin;
  const head = [words.name, words.scope, to.words.time.state, to.words.sessions.seen, words.created];
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
            <Narrowed to={to} apiKey={key} />
          </>,
          <State to={to} apiKey={key} />,
          key.lastUsedOn === null ? words.never : <Day day={key.lastUsedOn} to={to} />,
          <Instant at={key.createdAt} to={to} isShort />,
          ...(canRevoke ? [<KeyActions to={to} apiKey={key} />] : []),
        ])}
      />
      {canRevoke && keys.map((key) => <RevokeDialog to={to} apiKey={key} isAsking={key === asked} />)}
    </>
  );
}

interface KeyProps {
  readonly to: Administrator;
  readonly apiKey: ApiKeyEntity;
}

/** What a key is narrowed to, a line each. */
function Narrowed({ to, apiKey: { narrowing, userId } }: KeyProps): VNode {
  const { narrowing: words } = to.words.admin.key;
  const email = userId === null ? undefined : to.workspace.users.get(userId)?.email;
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

function State({ to, apiKey: { revokedAt, expiresAt } }: KeyProps): VNode {
  const words = to.words.admin.key;
  const at = revokedAt ?? expiresAt;
  if (!at) return <span>{words.inForce}</span>;
  const isOver = isPast(at);
  return (
    <span class={isOver ? 'muted' : ''}>
      {revokedAt ? words.revoked : isOver ? words.ended : words.until} <Instant at={at} to={to} />
    </span>
  );
}

const dialogOf = ({ id }: ApiKeyEntity): string => `revoke-${id}`;

function KeyActions({ to, apiKey }: KeyProps): VNode {
  const words = to.words.admin.key;
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
function RevokeDialog({ to, apiKey, isAsking }: KeyProps & { readonly isAsking: boolean }): VNode {
  const words = to.words.admin.key;
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
