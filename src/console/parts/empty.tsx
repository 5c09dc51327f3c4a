import { type ComponentChildren, type VNode } from 'preact';
import { Icon, type IconName } from './icon.js';

/** Shown in place of an empty list: what the list holds, and how something gets there. */
export function Empty({ icon, title, isPage = false, children }: EmptyProps): VNode {
  return (
    <div class="empty">
      <Icon name={icon} />
      {isPage ? <h1 class="empty-title">{title}</h1> : <p class="empty-title">{title}</p>}
      {children !== undefined && <div>{children}</div>}
    </div>
  );
}

interface EmptyProps {
  readonly icon: IconName;
  readonly title: string;
  /** Whether it is all that the page says. */
  readonly isPage?: boolean;
  readonly children?: ComponentChildren;
}
