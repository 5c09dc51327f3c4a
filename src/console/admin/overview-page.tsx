import { useReader } from '../reader.js';
import { en } from './words.js';
import { type ComponentChildren, type VNode } from 'preact';
import { type VersionHead } from '../../definitions/store/history.js';
import { type ApiKeyEntity } from '../../auth/api-key.entity.js';
import { type SetAside } from '../../followers/followers.repository.js';
import { type WatchedCounts } from '../../executions/executions-overview.js';
import { type Webhook } from '../../webhooks/webhook.dto.js';
import { Icon, type IconName } from '../parts/icon.js';
import { Instant } from '../parts/time.js';
import { AdminPage } from './admin-page.js';
import { isInForce } from './keys-page.js';

/** What those see who administer the whole workspace. */
export interface WholeOverview {
  readonly webhooks: readonly Webhook[];
  readonly keys: readonly ApiKeyEntity[];
  /** How many users. */
  readonly signedIn: number;
  readonly latest: VersionHead | undefined;
  readonly setAside: readonly SetAside[];
}

interface OverviewProps {
  readonly counts: WatchedCounts;
  readonly whole: WholeOverview | undefined;
}

/** How things stand: what needs somebody first, each leading to where that is done. */
export function OverviewPage({ counts, whole }: OverviewProps): VNode {
  const { title, overviews: words, executions } = en.admin;
  const { failed, pending } = counts;
  return (
    <AdminPage title={title}>
      <header class="page-head stack gap-1">
        <h1>{title}</h1>
      </header>
      {whole?.setAside.map(({ follower, count, cause }) => (
        <p class="notice bad">{words.setAside(follower, count, cause)}</p>
      ))}
      <ul class="standings">
        <Standing
          href={failed > 0 ? '/admin/executions?status=Fail' : '/admin/executions'}
          icon="history"
          name={executions}
          isBad={failed > 0}
          line={failed > 0 ? words.failing(upTo100(failed)) : words.noneFailed}
        >
          {pending > 0 && words.pending(upTo100(pending))}
        </Standing>
        {whole && <Whole whole={whole} />}
      </ul>
    </AdminPage>
  );
}

const upTo100 = (count: number): string => (count < 100 ? String(count) : en.admin.moreThan(99));

function Whole({ whole }: { readonly whole: WholeOverview }): VNode {
  const reader = useReader();
  const { admin } = en;
  const { overviews: words } = admin;
  const { webhooks, latest } = whole;
  const ailing = webhooks.filter(({ state, failing_since }) => state === 'disabled' || (state === 'active' && failing_since !== null)).length; // prettier-ignore
  const resting = webhooks.filter(({ state }) => state === 'paused').length;
  const keys = whole.keys.filter(isInForce);
  const ending = keys.filter(
    ({ expiresAt }) => expiresAt && expiresAt.getTime() < reader.now.getTime() + MONTH_MS,
  ).length;
  const active = reader.workspace.rows.users.filter((user) => user.active).length;
  return (
    <>
      <Standing
        href="/admin/webhooks"
        icon="link"
        name={admin.webhooks}
        isBad={ailing > 0}
        line={ailing > 0 ? words.ailing(ailing) : words.webhooks(webhooks.length)}
      >
        {resting > 0 && words.resting(resting)}
      </Standing>
      <Standing href="/admin/keys" icon="lock" name={admin.keys} line={words.keys(keys.length)}>
        {ending > 0 && words.ending(ending)}
      </Standing>
      <Standing
        href="/admin/definition"
        icon="settings"
        name={admin.definition}
        line={words.version(reader.workspace.version)}
      >
        {latest && (
          <>
            {latest.appliedBy}, <Instant at={latest.appliedAt} isShort />
          </>
        )}
      </Standing>
      <Standing href="/admin/users" icon="person" name={admin.users} line={words.users(active)}>
        {words.signedIn(whole.signedIn)}
      </Standing>
    </>
  );
}

const MONTH_MS = 30 * 86_400_000;

function Standing({ href, icon, name, line, isBad = false, children }: StandingProps): VNode {
  return (
    <li>
      <a class="standing" href={href}>
        <Icon name={icon} />
        <strong>{name}</strong>
        <span class={isBad ? 'late' : ''}>{line}</span>
        <span class="muted">{children}</span>
      </a>
    </li>
  );
}

interface StandingProps {
  readonly href: string;
  readonly icon: IconName;
  readonly name: string;
  /** The first sentence of the page. */
  readonly line: string;
  readonly isBad?: boolean;
  readonly children?: ComponentChildren;
}
