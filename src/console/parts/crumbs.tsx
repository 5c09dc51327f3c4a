import { type VNode } from 'preact';

/** Where a page stands: below another one, which has this path. */
export function Crumbs({ path, above, here }: Readonly<Record<'path' | 'above' | 'here', string>>): VNode {
  return (
    <nav class="crumbs line" aria-label="Breadcrumb">
      <a href={path}>{above}</a>
      <span aria-hidden="true">/</span>
      <span>{here}</span>
    </nav>
  );
}
