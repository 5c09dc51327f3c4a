import { type VNode } from 'preact';

/** A breadcrumb: a link to the page above, and the name of this page. */
export function Crumbs({ path, above, here }: Readonly<Record<'path' | 'above' | 'here', string>>): VNode {
  return (
    <nav class="crumbs line" aria-label="Breadcrumb">
      <a href={path}>{above}</a>
      <span aria-hidden="true">/</span>
      <span>{here}</span>
    </nav>
  );
}
