import { type ComponentChildren, type VNode } from 'preact';
import { assetPath, assetVersion } from './assets.js';
import { Avatar } from './parts/avatar.js';
import { ButtonForm } from './parts/form.js';
import { Icon, type IconName } from './parts/icon.js';
import { PageNoticeProvider } from './parts/labelled.js';
import { type Notice, Notices } from './parts/notices.js';
import { useAnybody, useReader, nameOfPerson, type SignedIn } from './reader.js';
import { viewPath } from './board/addresses.js';

/** A whole page without navigation. It needs no signed-in user. */
export function Bare({ title, children, isRefusal = false }: BareProps): VNode {
  return (
    <Document title={isRefusal ? `Error: ${title}` : title}>
      <main class="bare" id="content">
        {children}
      </main>
    </Document>
  );
}

interface BareProps extends Pick<PageProps, 'title' | 'children'> {
  readonly isRefusal?: boolean;
}

export function ConsolePage({ title, children, live, notice, skip }: PageProps): VNode {
  const reader = useReader();
  const isRefusal = notice?.tone === 'bad';
  return (
    <Document title={isRefusal ? `Error: ${title}` : title} live={live && livePath(reader, live)}>
      <a class="skip" href="#content">
        Skip to content
      </a>
      {skip}
      <div
        class="frame"
        data-controller="zone"
        data-zone-known-value={reader.session.timeZone}
        data-zone-shown-value={reader.timeZone}
      >
        <Sidebar />
        <main id="content" tabIndex={-1}>
          <Notices notice={notice} />
          <PageNoticeProvider value={notice}>{children}</PageNoticeProvider>
          {/* `live.js` shows here that the connection is lost, that a refresh is delayed, or that the user is
              signed out. */}
          <p class="connection" />
        </main>
      </div>
      <p class="visually-hidden" id="announcer" role="status" data-turbo-permanent />
    </Document>
  );
}

interface PageProps {
  readonly title: string;
  readonly children: ComponentChildren;
  /**
   * What the page shows. The page refreshes when its content or the inbox changes. Without this property,
   * the page never refreshes.
   */
  readonly live?: LivePage | undefined;
  readonly notice?: Notice | undefined;
  readonly skip?: VNode;
}

function Document({ title, children, live }: DocumentProps): VNode {
  const reader = useAnybody();
  return (
    <html lang={reader.locale}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="turbo-refresh-method" content="morph" />
        <meta name="turbo-refresh-scroll" content="preserve" />
        <meta name="turbo-prefetch" content="false" />
        <title>{`${title} · ${reader.service}`}</title>
        <link rel="icon" href={assetPath('icon.svg')} />
        <link rel="stylesheet" href={assetPath('console.css')} data-turbo-track="reload" />
        <script type="module" src={assetPath('console.js')} data-turbo-track="reload" />
      </head>
      <body data-live-url-value={live}>{children}</body>
    </html>
  );
}

interface DocumentProps extends Pick<PageProps, 'title' | 'children'> {
  readonly live?: string | undefined;
}

function Sidebar(): VNode {
  const reader = useReader();
  const { workspace, views, view } = reader;
  return (
    <header class="sidebar">
      <div class="sidebar-top">
        <a class="workspace" href="/">
          <span class="workspace-mark" aria-hidden="true">
            {Array.from(workspace.name)[0]?.toUpperCase()}
          </span>
          <span>{workspace.name}</span>
        </a>
        <button class="quiet menu-button" popovertarget="navigation" aria-label="Menu">
          <Icon name="menu" />
        </button>
      </div>
      <div class="sidebar-rest" id="navigation" popover="auto">
        {reader.path !== '/search' && <SearchBox />}
        <nav aria-label="Menu">
          <Place href="/" icon="inbox" name="My tasks" isAbove={reader.path === '/team'} />
          <Place href="/inbox" icon="bell" name="Inbox" beside={<InboxBadge />} />
          <Place href="/figures" icon="chart" name="Figures" />
          <h2>Workflows</h2>
          {reader.workflows.map(({ slug, name }) => (
            <Place href={`/workflows/${encodeURIComponent(slug)}`} icon="board" name={name} />
          ))}
          {views.length > 0 && <h2>Views</h2>}
          {views.map((one) => (
            <Place
              href={viewPath(one)}
              icon={one.as}
              name={one.name}
              title={`in ${one.workflow.name}`}
              isHere={view?.id === one.id}
            />
          ))}
          {reader.administers && <Place href="/admin" icon="settings" name="Administration" />}
        </nav>
        <Account />
      </div>
    </header>
  );
}

function SearchBox(): VNode {
  return (
    <search>
      <form action="/search" class="search-box">
        <Icon name="search" />
        <input
          type="search"
          name="q"
          required
          maxLength={200}
          placeholder="Search"
          aria-label="Search tasks by ID or words"
          title="Ctrl+K"
          aria-keyshortcuts="Control+K Meta+K"
          autocomplete="off"
        />
      </form>
    </search>
  );
}

function Place({ href, icon, name, title, beside, isHere = false, isAbove }: PlaceProps): VNode {
  const { path } = useReader();
  const isAncestor = isAbove ?? path.startsWith(`${href}/`);
  return (
    <a
      class="place"
      href={href}
      title={title}
      aria-current={isHere || href === path ? 'page' : isAncestor ? 'true' : undefined}
    >
      <Icon name={icon} />
      <span>{name}</span>
      {beside}
    </a>
  );
}

interface PlaceProps {
  readonly href: string;
  readonly icon: IconName;
  readonly name: string;
  readonly title?: string;
  readonly beside?: VNode;
  /** Whether the link leads to the current page, even if `href` is not the path of the page. */
  readonly isHere?: boolean;
  /**
   * Whether the current page is below this link. By default, the path of the page decides: it must begin with
   * `href` and a slash.
   */
  readonly isAbove?: boolean;
}

function InboxBadge(): VNode {
  const { inbox, locale } = useReader();
  return (
    <b class="unread-count" hidden={inbox.unread === 0}>
      <span aria-hidden="true">{inbox.unread > 99 ? '99+' : inbox.unread.toLocaleString(locale)}</span>
      <span class="visually-hidden">{inbox.unread} unread</span>
    </b>
  );
}

function Account(): VNode {
  const { user } = useReader();
  return (
    <div class="account">
      <a class="account-name" href="/account" title="Account">
        <Avatar user={user} />
        <span>
          {nameOfPerson(user)}
          <small>{user.email}</small>
        </span>
      </a>
      <ButtonForm action="/sign-out" look="quiet" label="Sign out">
        <Icon name="logout" />
      </ButtonForm>
    </div>
  );
}

/**
 * What a page shows: a task, a workflow, the executions that the reader administers, the inbox, or the team's
 * work. Without any property, the page shows the reader's own work.
 */
export interface LivePage {
  readonly workflow?: string;
  readonly task?: string;
  readonly of?: 'executions' | 'inbox' | 'team';
}

/** The URL at which a page waits for changes since the page was requested. */
function livePath({ inbox: { position, mark } }: SignedIn, page: LivePage): string {
  const query = { ...page, after: String(position), inbox: mark, version: assetVersion };
  return `/live?${new URLSearchParams(query).toString()}`;
}
