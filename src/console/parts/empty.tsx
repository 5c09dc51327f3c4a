import { type ComponentChildren, type VNode } from 'preact';
import { Icon, type IconName } from './icon.js';

/** What stands where there is nothing: what would be there, and how it comes to be. */
export function Empty({ icon, title, children }: EmptyProps): VNode {
  return (
    <div class="empty">
      <Icon name={icon} />
      <p class="empty-title">{title}</p>
      {children !== undefined && <p>{children}</p>}
    </div>
  );
}

interface EmptyProps {
  readonly icon: IconName;
  readonly title: string;
  readonly children?: ComponentChildren;
}
