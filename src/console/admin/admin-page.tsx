import { type ComponentChildren, type VNode } from 'preact';
import { ConsolePage } from '../layout.js';
import { Icon } from '../parts/icon.js';
import { type Notice } from '../parts/notices.js';
import { type Administrator } from './admin-pages.js';

/** A page of the administration: its places, where it is among them, and what it shows. */
export function AdminPage({ to, title, above, notice, live, children }: AdminPageProps): VNode {
  return (
    <ConsolePage to={to} title={title} live={live} notice={notice}>
      <Places to={to} />
      {above && (
        <nav class="crumbs" aria-label={to.words.task.where}>
          <a href={above.href}>{above.name}</a>
          <span aria-hidden="true">/</span>
          <span>{title}</span>
        </nav>
      )}
      {children}
    </ConsolePage>
  );
}

interface AdminPageProps {
  readonly to: Administrator;
  readonly title: string;
  /** The page that this one is a part of. */
  readonly above?: { readonly href: string; readonly name: string };
  readonly notice?: Notice | undefined;
  readonly live?: string | undefined;
  readonly children: ComponentChildren;
}

/** A page about one thing: what it is called, how it stands, and what is below that. */
export function DetailPage({ badge, heading, lead, children, ...page }: DetailPageProps): VNode {
  return (
    <AdminPage {...page}>
      <div class="admin-column">
        <header class="execution-head">
          <h1>
            {heading ?? page.title} {badge}
          </h1>
          {lead !== undefined && <p class="muted">{lead}</p>}
        </header>
        {children}
      </div>
    </AdminPage>
  );
}

interface DetailPageProps extends AdminPageProps {
  /** What stands in place of the title in the page. */
  readonly heading?: ComponentChildren;
  readonly badge?: ComponentChildren;
  readonly lead?: ComponentChildren;
}

/** A part of such a page, which is called by its heading. */
export function Section({ id, title, children }: SectionProps): VNode {
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

interface SectionProps {
  readonly id: string;
  readonly title: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A page of things that are alike: how many there are, which are shown, and each in a row that leads to its page. */
export function AdminListPage<Thing>(view: AdminListPageProps<Thing>): VNode {
  const { to, title, count = 0, lead, button, filters, things, row, empty, more, ...page } = view;
  return (
    <AdminPage to={to} title={title} {...page}>
      <header class={button ? 'page-head with-button' : 'page-head'}>
        <h1>
          {title} {count > 0 && <span class="count">{count.toLocaleString(to.locale)}</span>}
        </h1>
        {lead !== undefined && <p class="muted">{lead}</p>}
        {button && (
          <a class="button primary" href={button.href}>
            <Icon name="plus" /> {button.name}
          </a>
        )}
      </header>
      {filters}
      {things.length === 0 ? (
        empty
      ) : (
        <ul class="rows">
          {things.map((thing) => (
            <li>{row(thing)}</li>
          ))}
        </ul>
      )}
      {more && <MorePages to={to} {...more} />}
    </AdminPage>
  );
}

interface AdminListPageProps<Thing> extends Omit<AdminPageProps, 'children'> {
  readonly count?: number;
  readonly lead?: ComponentChildren;
  /** What leads to the form of a new one. */
  readonly button?: { readonly href: string; readonly name: string };
  readonly filters?: VNode;
  readonly things: readonly Thing[];
  readonly row: (thing: Thing) => VNode;
  readonly empty: VNode;
  readonly more?: Omit<MoreProps, 'to'>;
}

/** The pages of the administration, by their names. */
export function administrationPlaces(to: Administrator): readonly (readonly [path: string, name: string])[] {
  const { admin, bin, time } = to.words;
  const places: [string, string][] = [
    ['/admin', admin.overview],
    ['/admin/executions', admin.executions],
    ['/admin/rules', time.admin.rules],
    ['/admin/schedules', time.admin.schedules],
    ['/admin/bin', bin.title],
  ];
  if (to.administers.isWhole)
    places.push(
      ['/admin/webhooks', admin.webhooks],
      ['/admin/messages', admin.messages],
      ['/admin/keys', admin.keys],
      ['/admin/definition', admin.definition],
      ['/admin/users', admin.users],
    );
  return places;
}

function Places({ to }: { readonly to: Administrator }): VNode {
  return (
    <nav class="tabs" aria-label={to.words.admin.ways}>
      {administrationPlaces(to).map(([href, name]) => (
        <a href={href} aria-current={currentAt(href, to.path)}>
          {name}
        </a>
      ))}
    </nav>
  );
}

function currentAt(href: string, path: string): 'page' | 'true' | undefined {
  if (href === path) return 'page';
  return href !== '/admin' && path.startsWith(`${href}/`) ? 'true' : undefined;
}

/** Where a list goes on: with these parameters behind what it shows, or from its beginning. */
export function MorePages({ to, path, query, next, isFirst }: MoreProps): VNode | null {
  const { admin } = to.words;
  if (next === undefined && isFirst) return null;
  return (
    <nav class="actions" aria-label={admin.pages}>
      {!isFirst && <a href={addressOf(path, query)}>{admin.newest}</a>}
      {next !== undefined && <a href={addressOf(path, { ...query, after: next })}>{admin.next}</a>}
    </nav>
  );
}

interface MoreProps {
  readonly to: Administrator;
  readonly path: string;
  /** What is empty is left out. */
  readonly query: Readonly<Record<string, string | undefined>>;
  /** Behind what the next page begins. */
  readonly next: string | undefined;
  readonly isFirst: boolean;
}

/** A path with the parameters that are given. */
export function addressOf(path: string, query: MoreProps['query']): string {
  const given = Object.entries(query).filter((pair): pair is [string, string] => Boolean(pair[1]));
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`;
}

/** What is known of something, a line each; what is not known is left out. */
export function Facts({ rows }: { readonly rows: readonly (readonly [string, ComponentChildren])[] }): VNode {
  return (
    <dl class="facts">
      {rows
        .filter(([, value]) => value !== null && value !== undefined && value !== false)
        .map(([name, value]) => (
          <div>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
