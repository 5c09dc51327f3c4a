import { type ComponentChildren, type VNode } from 'preact';

/** A table that scrolls inside its frame if it is too wide. */
export function Table({
  caption,
  head,
  isStacked = false,
  sorted = [],
  numeric = [],
  rows,
  ids = [],
}: TableProps): VNode {
  const look = (at: number) => numeric[at] && { class: 'number' };
  return (
    <div
      class={isStacked ? 'table-frame stacked' : 'table-frame'}
      role="region"
      aria-label={caption}
      tabIndex={0}
    >
      <table>
        <caption class="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {head.map((cell, at) => (
              <th scope="col" {...look(at)} {...(sorted[at] && { 'aria-sort': sorted[at] })}>
                {cell}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, index) => (
            <tr id={ids[index]}>
              {cells.map((cell, at) => (
                <td {...look(at)} data-head={isStacked ? head[at] : undefined}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface TableProps {
  /** What the table is about, for screen readers only. */
  readonly caption: string;
  readonly head: readonly ComponentChildren[];
  /**
   * Whether a narrow page shows each cell on its own line, after the name of its column. If so, the names of
   * the columns must be texts.
   */
  readonly isStacked?: boolean;
  /** How each column is sorted; undefined for an unsorted column. */
  readonly sorted?: readonly ('ascending' | 'descending' | undefined)[];
  /** Which columns contain numbers, whose digits are aligned. */
  readonly numeric?: readonly boolean[];
  readonly rows: readonly (readonly ComponentChildren[])[];
  /** The ids of the rows. A refresh recognizes the rows by these ids. */
  readonly ids?: readonly string[];
}
