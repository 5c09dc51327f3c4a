import { type ComponentChildren, type VNode } from 'preact';

/** A table that scrolls within itself where it is too wide. */
export function Table({ caption, head, rows }: TableProps): VNode {
  return (
    <div class="table-frame" role="region" aria-label={caption} tabIndex={0}>
      <table>
        <caption class="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {head.map((cell) => (
              <th scope="col">{cell}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells) => (
            <tr>
              {cells.map((cell) => (
                <td>{cell}</td>
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
  readonly rows: readonly (readonly ComponentChildren[])[];
}
