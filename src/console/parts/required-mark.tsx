import { type VNode } from 'preact';

/** Stands behind the name of what must not be blank. */
export const RequiredMark = ({ label }: { readonly label: string }): VNode => (
  <span class="required" title={label}>
    {' *'}
    <span class="visually-hidden">{label}</span>
  </span>
);
