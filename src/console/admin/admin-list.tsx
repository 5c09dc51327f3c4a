import { type ComponentChildren, type VNode } from 'preact';
import { Choice } from '../parts/control.js';
import { Empty, type Notice } from '../parts/notices.js';
import { Icon } from '../parts/icon.js';
import { refusedCursor } from '../page.js';
import { AdminFrame } from './admin-frame.js';
import { type AdminLine, type AdminList, type AdminPage, type AdminRequest, type FoundRows, type ListFilter } from './admin-page.js'; // prettier-ignore

interface ReadList<Row> {
  readonly found: FoundRows<Row>;
  readonly filters: readonly ListFilter[];
  readonly chosen: Readonly<Record<string, string | undefined>>;
}

/** Reads the part of a list that the address selects; 404 for an invalid cursor. */
export async function readAdminList<Row>(list: AdminList<Row>, asked: AdminRequest): Promise<ReadList<Row>> {
  const filters = list.filters?.(asked) ?? [];
  const after = asked.query.get('after') ?? undefined;
  const chosen = { ...Object.fromEntries(filters.map((filter) => [filter.name, chosenIn(filter, asked)])), after }; // prettier-ignore
  return { found: await list.rows(asked, chosen).catch(refusedCursor), filters, chosen };
}

function chosenIn({ name, options, initial }: ListFilter, { query }: AdminRequest): string | undefined {
  const value = query.get(name) ?? initial;
  const isKnown = options === undefined || options.some(([one]) => one === value);
  return isKnown && value !== '' ? value : undefined;
}

export function AdminListPage<Row>({ page, asked, notice, above, read }: ListPageProps<Row>): VNode {
  const { title, lead, create } = page;
  const { count = 0 } = read.found;
  return (
    <AdminFrame asked={asked} title={title} notice={notice} live={page.live}>
      <header class="page-head spread">
        <div class="stack gap-1">
          <h1>
            {title} {count > 0 && <span class="count">{count.toLocaleString(asked.reader.locale)}</span>}
          </h1>
          {lead !== undefined && <p class="muted">{lead}</p>}
        </div>
        {create && (
          <a class="button primary" href={`${asked.path}?new`}>
            <Icon name="plus" /> {create.title}
          </a>
        )}
      </header>
      {above !== undefined && <div class="admin-column stack">{above}</div>}
      <ListPart list={page} read={read} asked={asked} />
    </AdminFrame>
  );
}

interface ListPageProps<Row> extends Omit<ListPartProps<Row>, 'list'> {
  readonly page: AdminList<Row> & Pick<AdminPage<unknown>, 'create'>;
  readonly notice: Notice | undefined;
  readonly above: ComponentChildren;
}

export function ListPart<Row>({ list, read, asked }: ListPartProps<Row>): VNode {
  const { found, filters, chosen } = read;
  const isFiltered = filters.some(({ name, initial }) => chosen[name] !== initial);
  const [empty, more] =
    isFiltered || chosen['after'] !== undefined ? ['Nothing matches these filters'] : list.empty;
  return (
    <>
      {filters.length > 0 && <Filters {...{ filters, chosen, asked, isFiltered }} />}
      {found.shown.length === 0 ? (
        <Empty icon={list.icon} title={empty}>
          {more}
        </Empty>
      ) : (
        <AdminLines lines={found.shown.map((row) => list.line(row, asked))} />
      )}
      <MorePages next={found.next} {...{ filters, chosen, asked }} />
    </>
  );
}

interface ListPartProps<Row> {
  readonly list: AdminList<Row>;
  readonly read: ReadList<Row>;
  readonly asked: AdminRequest;
}

/** The filters, as a form with GET, so that every result has an address. */
function Filters({ filters, chosen, asked, isFiltered }: FiltersProps): VNode {
  const { path } = asked;
  return (
    <search class="filters">
      <form class="form-line" action={path}>
        {filters.map(({ name, label, options }) => (
          <label>
            <span>{label}</span>
            {options ? (
              <Choice name={name} options={options} chosen={chosen[name] ?? ''} none="Any" />
            ) : (
              <input type="search" name={name} value={chosen[name]} maxLength={200} />
            )}
          </label>
        ))}
        <button type="submit">Filter</button>
        {isFiltered && <a href={path}>Clear</a>}
      </form>
    </search>
  );
}

interface FiltersProps extends Pick<ReadList<unknown>, 'filters' | 'chosen'> {
  readonly asked: AdminRequest;
  readonly isFiltered: boolean;
}

export function AdminLines({ lines }: { readonly lines: readonly AdminLine[] }): VNode {
  return (
    <ul class="rows admin-rows">
      {lines.map((line) => (
        <li>
          <Line {...line} />
        </li>
      ))}
    </ul>
  );
}

function Line({ href, isHere, state, title, under, asides = [], due }: AdminLine): VNode {
  const content = (
    <>
      {state !== undefined && <span class="row-state">{state}</span>}
      <span class="row-what">
        <span class="row-title">{title}</span>
        {under}
      </span>
      {asides.map((aside) => (
        <span class="row-aside">{aside}</span>
      ))}
      <span class="row-due">{due}</span>
    </>
  );
  if (href === undefined) return <div class="row">{content}</div>;
  return (
    <a class="row" href={href} aria-current={isHere ? 'page' : undefined}>
      {content}
    </a>
  );
}

/** The links to the next page with the same filters, and to the first page. */
function MorePages({ next, filters, chosen, asked }: MorePagesProps): VNode | null {
  const isFirst = chosen['after'] === undefined;
  if (next === undefined && isFirst) return null;
  const said = filters.map(({ name }) => [name, chosen[name] ?? '']);
  const behind = (after: readonly string[][]): string =>
    `${asked.path}?${new URLSearchParams([...said, ...after]).toString()}`;
  return (
    <nav class="actions" aria-label="Pages">
      {!isFirst && <a href={behind([])}>Newest</a>}
      {next !== undefined && <a href={behind([['after', next]])}>Next page</a>}
    </nav>
  );
}

interface MorePagesProps extends Pick<ReadList<unknown>, 'filters' | 'chosen'> {
  readonly next: string | undefined;
  readonly asked: AdminRequest;
}
