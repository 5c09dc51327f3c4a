import { type ComponentChildren, type VNode } from 'preact';

/** A section with a text of several lines in a box that scrolls. The title is also the label of the box. */
export function CodeSection({ title, text }: { readonly title: string; readonly text: string }): VNode {
  return (
    <section>
      <h2>{title}</h2>
      <Code label={title} text={text} />
    </section>
  );
}

export function Code({ label, text }: { readonly label: string; readonly text: string }): VNode {
  return (
    <pre class="code" role="region" aria-label={label} tabIndex={0}>
      {text}
    </pre>
  );
}

/** A list of names and values. Rows without a value are left out. */
export function Facts({ rows }: { readonly rows: readonly FactRow[] }): VNode {
  return (
    <dl class="facts stack">
      {rows
        .filter(([, value]) => value !== null && value !== undefined && value !== false && value !== '')
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
