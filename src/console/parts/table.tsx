import { type ComponentChildren, type VNode } from 'preact';

/** A table that scrolls within itself where it is too wide. */
export function Table({ caption, head, sorted = [], numeric = [], rows, ids = [] }: TableProps): VNode {
  const look = (at: number) => numeric[at] && { class: 'number' };
  return (
    <div class="table-frame" role="region" aria-label={caption} tabIndex={0}>
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
                <td {...look(at)}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface TableProps {
  /** What the table is about; read, not seen. */
  readonly caption: string;
  readonly head: readonly ComponentChildren[];
  /** Which of the columns the rows are sorted by. */
  readonly sorted?: readonly ('ascending' | 'descending' | undefined)[];
  /** Which of the columns hold numbers, whose digits stand below each other. */
  readonly numeric?: readonly boolean[];
  readonly rows: readonly (readonly ComponentChildren[])[];
  /** By which rows are known again when the page is shown anew. */
  readonly ids?: readonly string[];
}
