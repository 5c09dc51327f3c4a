import { type ComponentChildren, type HTMLAttributes, type VNode } from 'preact';

/** A part of a page, with a heading that labels the part. */
export function Section({ id, title, children, ...more }: SectionProps): VNode {
  return (
    <section id={id} aria-labelledby={`${id}-name`} {...more}>
      <h2 id={`${id}-name`}>{title}</h2>
      {children}
    </section>
  );
}

interface SectionProps extends Omit<HTMLAttributes<HTMLElement>, 'title' | 'id'> {
  readonly id: string;
  readonly title: ComponentChildren;
}
