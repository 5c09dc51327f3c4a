import { type ComponentChildren, type VNode } from 'preact';

export function Section({ id, title, isLandmark = true, children }: SectionProps): VNode {
  return (
    <section aria-labelledby={isLandmark ? id : undefined}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

interface SectionProps {
  readonly id: string;
  readonly title: string;
  /** False if the section contains a region of the same name. */
  readonly isLandmark?: boolean;
  readonly children: ComponentChildren;
}

/** A section with a text of several lines, unchanged, in a box that scrolls. */
export const CodeSection = ({
  id,
  title,
  text,
}: Omit<SectionProps, 'children'> & { text: string }): VNode => (
  <Section id={id} title={title} isLandmark={false}>
    <Code label={title} text={text} />
  </Section>
);

export function Code({ label, text }: { readonly label: string; readonly text: string }): VNode {
  return (
    <pre class="code" role="region" aria-label={label} tabIndex={0}>
      {text}
    </pre>
  );
}

/** Names and values; rows without a value are left out. */
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
