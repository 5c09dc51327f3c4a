import { type VNode } from 'preact';
import { Choice } from '../parts/control.js';
import { Empty } from '../parts/notices.js';
import { refusedCursor } from '../page.js';
import { type AdminLine, type AdminList, type AdminRequest, type ListFilter } from './admin-page.js';

/**
 * Returns the list with its filters, and the number of rows for the heading. This number is 0 if the list
 * does not count its rows. Throws 404 for an invalid cursor.
 */
export async function adminListPart(
  list: AdminList,
  asked: AdminRequest,
): Promise<[part: VNode, count: number]> {
  const { query, reader, path } = asked;
  const filters = list.filters?.(reader) ?? [];
  const chosen = Object.fromEntries(
    filters.map((filter) => [filter.name, (query.get(filter.name) ?? filter.initial) || undefined]),
  );
  const after = query.get('after') ?? undefined;
  const { lines, next, count = 0 } = await list.read(asked, { ...chosen, after }).catch(refusedCursor);
  const isFiltered = filters.some(({ name, initial }) => chosen[name] !== initial);
  const isPart = isFiltered || after !== undefined;
  const [empty, more] = isPart ? ['Nothing matches these filters'] : list.empty;
  const said = filters.map(({ name }) => [name, chosen[name] ?? '']);
  const behind = (from: readonly string[][]) =>
    `${path}?${new URLSearchParams([...said, ...from]).toString()}`;
  const part = (
    <>
      {filters.length > 0 && (
        <Filters filters={filters} chosen={chosen} path={path} isFiltered={isFiltered} />
      )}
      {lines.length === 0 ? (
        <Empty icon={list.icon} title={empty}>
          {more}
        </Empty>
      ) : (
        <AdminLines lines={lines} />
      )}
      {(next !== undefined || after !== undefined) && (
        <nav class="actions" aria-label="Pages">
          {after !== undefined && <a href={behind([])}>Newest</a>}
          {next !== undefined && <a href={behind([['after', next]])}>Next page</a>}
        </nav>
      )}
    </>
  );
  return [part, count];
}

/** The filters, as a form that sends GET, so that every result has a URL. */
function Filters({ filters, chosen, path, isFiltered }: FiltersProps): VNode {
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
        {isFiltered && (
          <a class="button quiet" href={path}>
            Clear
          </a>
        )}
      </form>
    </search>
  );
}

interface FiltersProps {
  readonly filters: readonly ListFilter[];
  readonly chosen: Readonly<Record<string, string | undefined>>;
  readonly path: string;
  readonly isFiltered: boolean;
}

function AdminLines({ lines }: { readonly lines: readonly AdminLine[] }): VNode {
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

function Line({ href, state, title, under, asides = [], due }: AdminLine): VNode {
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
    <a class="row" href={href}>
      {content}
    </a>
  );
}
