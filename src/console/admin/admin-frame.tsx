import { type LivePage } from '../live/live-path.js';
import { type ComponentChildren, type VNode } from 'preact';
import { ConsolePage } from '../layout.js';
import { type Notice } from '../parts/notices.js';
import { type AdminRequest, type ShownThing } from './admin-page.js';

/** A page below that of a list: about one thing, or a form. */
export function DetailFrame({ heading, badge, lead, children, ...frame }: DetailFrameProps): VNode {
  return (
    <AdminFrame {...frame}>
      <div class="admin-column stack">
        <header class="detail-head stack gap-1">
          <h1 class="line">
            {heading ?? frame.title} {badge}
          </h1>
          {lead !== undefined && <p class="muted">{lead}</p>}
        </header>
        {children}
      </div>
    </AdminFrame>
  );
}

interface DetailFrameProps extends AdminFrameProps, Pick<ShownThing, 'heading' | 'badge' | 'lead'> {}

/** A page of the administration below its tabs. */
export function AdminFrame({ asked, title, above, notice, live, children }: AdminFrameProps): VNode {
  const { reader, tabs } = asked;
  const here = tabs.find(({ pages }) => pages.some(([href]) => isWithin(reader.path, href)));
  return (
    <ConsolePage title={title} live={live} notice={notice}>
      <nav class="tabs" aria-label="Administration">
        {tabs.map((tab) => (
          <a href={tab.pages[0]?.[0] ?? ''} aria-current={tab === here ? 'true' : undefined}>
            {tab.title}
          </a>
        ))}
      </nav>
      {here && here.pages.length > 1 && (
        <nav class="kinds line gap-1" aria-label={here.title}>
          {here.pages.map(([href, name]) => (
            <a href={href} aria-current={isWithin(reader.path, href) ? 'page' : undefined}>
              {name}
            </a>
          ))}
        </nav>
      )}
      {above && (
        <nav class="crumbs" aria-label="Breadcrumb">
          <a href={above.href}>{above.name}</a>
          <span aria-hidden="true">/</span>
          <span>{title}</span>
        </nav>
      )}
      {children}
    </ConsolePage>
  );
}

interface AdminFrameProps {
  readonly asked: AdminRequest;
  readonly title: string;
  /** The page that this one is a part of. */
  readonly above?: { readonly href: string; readonly name: string };
  readonly notice?: Notice | undefined;
  readonly live?: LivePage | undefined;
  readonly children: ComponentChildren;
}

const isWithin = (path: string, page: string): boolean => path === page || path.startsWith(`${page}/`);
