import { type SignedIn, useReader } from '../reader.js';
import { en } from './words.js';
import { type ComponentChildren, type VNode } from 'preact';
import { ConsolePage } from '../layout.js';
import { type Notice } from '../parts/notices.js';

/** A page of the administration: its places, where it is among them, and what it shows. */
export function AdminPage({ title, above, notice, live, children }: AdminPageProps): VNode {
  return (
    <ConsolePage title={title} live={live} notice={notice}>
      <Places />
      {above && (
        <nav class="crumbs" aria-label={en.task.where}>
          <a href={above.href}>{above.name}</a>
          <span aria-hidden="true">/</span>
          <span>{title}</span>
        </nav>
      )}
      {children}
    </ConsolePage>
  );
}

export interface AdminPageProps {
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
      <div class="admin-column stack">
        <header class="detail-head stack gap-1">
          <h1 class="line">
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
export function Section({ id, title, beside, isLandmark = true, children }: SectionProps): VNode {
  const heading = <h2 id={id}>{title}</h2>;
  return (
    <section aria-labelledby={isLandmark ? id : undefined}>
      {beside === undefined ? (
        heading
      ) : (
        <header class="spread">
          {heading}
          {beside}
        </header>
      )}
      {children}
    </section>
  );
}

interface SectionProps {
  readonly id: string;
  readonly title: ComponentChildren;
  /** What stands in the line of the heading. */
  readonly beside?: ComponentChildren;
  /** Not so where a table in it is one of the same name. */
  readonly isLandmark?: boolean;
  readonly children: ComponentChildren;
}

/** The pages of the administration, by their names. */
export function administrationPlaces(reader: SignedIn): readonly (readonly [path: string, name: string])[] {
  const { admin, time } = en;
  const places: [string, string][] = [
    ['/admin', admin.overview],
    ['/admin/executions', admin.executions],
    ['/admin/rules', time.admin.rules],
    ['/admin/schedules', time.admin.schedules],
  ];
  if (reader.administers?.isWhole)
    places.push(
      ['/admin/webhooks', admin.webhooks],
      ['/admin/messages', admin.messages],
      ['/admin/keys', admin.keys],
      ['/admin/definition', admin.definition],
      ['/admin/users', admin.users],
    );
  return places;
}

function Places(): VNode {
  const reader = useReader();
  return (
    <nav class="tabs" aria-label={en.admin.title}>
      {administrationPlaces(reader).map(([href, name]) => (
        <a href={href} aria-current={currentAt(href, reader.path)}>
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

/** What is known of something, a line each; what is not known is left out. */
export function Facts({ rows }: { readonly rows: readonly FactRow[] }): VNode {
  return (
    <dl class="facts stack">
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

export type FactRow = readonly [name: string, value: ComponentChildren];
