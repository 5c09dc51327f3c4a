import { type ComponentChildren, type VNode } from 'preact';
import { assetPath } from './assets.js';
import { KeysPart } from './palette/palette-part.js';
import { Avatar } from './parts/avatar.js';
import { ButtonForm } from './parts/form.js';
import { Icon, type IconName } from './parts/icon.js';
import { type Notice, Notices } from './parts/notices.js';
import { livePath } from './live/live-path.js';
import { nameOfPerson, type Reader, type SignedIn } from './reader.js';
import { viewPath } from './board/addresses.js';

/** A whole page with nothing around its content: for those who are not signed in. */
export function Bare({ to, title, children, isRefusal = false }: BareProps): VNode {
  return (
    <Document to={to} title={isRefusal ? to.words.refused(title) : title}>
      <main class="bare" id="content">
        {children}
      </main>
    </Document>
  );
}

interface BareProps extends Pick<PageProps<Reader>, 'to' | 'title' | 'children'> {
  /** Whether it says that something was refused. */
  readonly isRefusal?: boolean;
}

/** A whole page of somebody who is signed in: where they can go beside it, and its content. */
export function ConsolePage({ to, title, children, live, notice, skip }: PageProps<SignedIn>): VNode {
  const isRefusal = notice?.tone === 'bad';
  return (
    <Document
      to={to}
      title={isRefusal ? to.words.refused(title) : title}
      live={live ?? livePath(to, { of: 'badge' })}
    >
      <a class="skip" href="#content">
        {to.words.skip}
      </a>
      {skip}
      <div
        class="frame"
        data-controller="zone"
        data-zone-known-value={to.session.timeZone}
        data-zone-shown-value={to.timeZone}
      >
        <Sidebar to={to} />
        <main id="content" tabIndex={-1}>
          <Notices notice={notice} />
          {children}
          <Connection to={to} />
        </main>
      </div>
      <KeysPart to={to} />
      <p class="visually-hidden" id="announcer" role="status" data-turbo-permanent />
    </Document>
  );
}

interface PageProps<Of> {
  readonly to: Of;
  readonly title: string;
  readonly children: ComponentChildren;
  /** Where the browser hears of changes that are to be shown; a page that shows none follows the inbox alone. */
  readonly live?: string | undefined;
  readonly notice?: Notice | undefined;
  /** A further way past the navigation. */
  readonly skip?: VNode;
}

function Document({ to, title, children, live }: PageProps<Reader>): VNode {
  return (
    <html lang={to.locale}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="turbo-refresh-method" content="morph" />
        <meta name="turbo-refresh-scroll" content="preserve" />
        <title>{`${title} · ${to.service}`}</title>
        <link rel="icon" href={assetPath('icon.svg')} />
        <link rel="stylesheet" href={assetPath('console.css')} data-turbo-track="reload" />
        <script type="module" src={assetPath('console.js')} data-turbo-track="reload" />
      </head>
      <body {...(live !== undefined && { 'data-controller': 'live', 'data-live-url-value': live })}>
        {children}
      </body>
    </html>
  );
}

/** Says, as soon as there is something to say, what has become of the connection by which changes are heard of. */
function Connection({ to: { words } }: { readonly to: SignedIn }): VNode {
  const { lost, ended } = words.live;
  return <p class="connection" data-live-target="connection" data-lost={lost} data-ended={ended} />;
}

function Sidebar({ to }: { readonly to: SignedIn }): VNode {
  const { words, workspace, path } = to;
  return (
    <header class="sidebar">
      <div class="sidebar-top">
        <a class="workspace" href="/">
          <span class="workspace-mark" aria-hidden="true">
            {Array.from(workspace.name)[0]?.toUpperCase()}
          </span>
          <span class="workspace-name">{workspace.name}</span>
        </a>
        <button class="quiet menu-button" popovertarget="navigation" aria-label={words.menu}>
          <Icon name="menu" />
        </button>
      </div>
      <div class="sidebar-rest" id="navigation" popover="auto">
        {to.path !== '/search' && <SearchBox to={to} />}
        <nav aria-label={words.menu}>
          <Place href="/" icon="inbox" path={path}>
            {words.myTasks}
          </Place>
          <Place href="/inbox" icon="bell" path={path} beside={<InboxBadge to={to} />}>
            {words.inbox.title}
          </Place>
          <h2>{words.workflows}</h2>
          {to.workflows.map(({ slug, name }) => (
            <Place href={`/workflows/${encodeURIComponent(slug)}`} icon="board" path={path}>
              {name}
            </Place>
          ))}
          <ViewPlaces to={to} />
          {to.administers && (
            <Place href="/admin" icon="settings" path={path}>
              {words.admin.title}
            </Place>
          )}
        </nav>
        <Account to={to} />
      </div>
    </header>
  );
}

/** Boards and lists under names. */
function ViewPlaces({ to: { words, views, view } }: { readonly to: SignedIn }): VNode | null {
  if (views.length === 0) return null;
  return (
    <>
      <h2>{words.lists.views.title}</h2>
      {views.map(({ id, name, as, workflow }) => (
        <a
          class="place"
          href={viewPath(id)}
          title={words.lists.views.in(workflow.name)}
          aria-current={view?.id === id ? 'page' : undefined}
        >
          <Icon name={as} />
          <span>{name}</span>
        </a>
      ))}
    </>
  );
}

/** Looks for tasks from everywhere. */
function SearchBox({ to: { words, session } }: { readonly to: SignedIn }): VNode {
  return (
    <search>
      <form action="/search" class="search-box">
        <Icon name="search" />
        <input
          type="search"
          name="q"
          required
          maxLength={200}
          placeholder={words.search.title}
          aria-label={words.search.label}
          {...(session.shortcuts && { 'aria-keyshortcuts': '/' })}
          autocomplete="off"
        />
        {session.shortcuts && <kbd aria-hidden="true">/</kbd>}
      </form>
    </search>
  );
}

/** A line of the navigation. */
function Place({ href, icon, path, beside, children }: PlaceProps): VNode {
  const isHere = href === path || (href !== '/' && path.startsWith(`${href}/`));
  return (
    <a class="place" href={href} aria-current={href === path ? 'page' : isHere ? 'true' : undefined}>
      <Icon name={icon} />
      <span>{children}</span>
      {beside}
    </a>
  );
}

/** How many lines of the inbox are unread, as long as there are any. */
function InboxBadge({ to: { words, inbox, locale } }: { readonly to: SignedIn }): VNode {
  return (
    <b
      class="unread-count"
      data-live-target="badge"
      data-label={words.inbox.unread(0).replace('0', '{n}')}
      hidden={inbox.unread === 0}
    >
      <i aria-hidden="true">{inbox.unread > 99 ? '99+' : inbox.unread.toLocaleString(locale)}</i>
      <i class="visually-hidden">{words.inbox.unread(inbox.unread)}</i>
    </b>
  );
}

interface PlaceProps {
  readonly href: string;
  readonly icon: IconName;
  readonly path: string;
  /** What stands behind the words. */
  readonly beside?: VNode;
  readonly children: ComponentChildren;
}

function Account({ to }: { readonly to: SignedIn }): VNode {
  const { words, user } = to;
  return (
    <div class="account">
      <a class="account-name" href="/account" title={words.account}>
        <Avatar user={user} />
        <span>
          {nameOfPerson(user)}
          <small>{user.email}</small>
        </span>
      </a>
      <ButtonForm action="/sign-out" look="quiet" label={words.signOut}>
        <Icon name="logout" />
      </ButtonForm>
    </div>
  );
}
