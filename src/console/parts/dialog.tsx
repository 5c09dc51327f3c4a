import { type ComponentChildren, type VNode } from 'preact';
import { type Words } from '../messages/en.js';

/**
 * A question in front of the page. What opens it is a link to a page that asks the same, for browsers without
 * JavaScript, with `data-action="opener#open"`.
 */
export function Dialog({ id, title, words, isOpen = false, children }: DialogProps): VNode {
  return (
    <dialog id={id} aria-labelledby={`${id}-title`} open={isOpen} data-controller="dialog">
      <form method="dialog">
        <button class="quiet dialog-close" aria-label={words.close}>
          ×
        </button>
      </form>
      <h2 id={`${id}-title`}>{title}</h2>
      {children}
    </dialog>
  );
}

interface DialogProps {
  readonly id: string;
  readonly title: string;
  readonly words: Words;
  /** Where the page itself asks. */
  readonly isOpen?: boolean;
  readonly children: ComponentChildren;
}
