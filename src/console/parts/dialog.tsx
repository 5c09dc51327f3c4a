import { type ComponentChildren, type VNode } from 'preact';

/**
 * Lets a link open a dialog instead of the page to which it leads. The page asks the same question, for browsers
 * without JavaScript.
 */
export const opens = (dialog: string): Readonly<Record<string, string>> => ({
  'data-controller': 'opener',
  'data-action': 'opener#open',
  'data-opener-dialog-value': dialog,
});

/** A question in front of the page, opened by a link with `opens`. */
export function Dialog({ id, title, isOpen = false, back, answer, children }: DialogProps): VNode {
  return (
    <dialog id={id} aria-labelledby={`${id}-title`} open={isOpen} data-controller="dialog">
      <form method="dialog">
        <button class="quiet dialog-close" aria-label="Close">
          ×
        </button>
      </form>
      <h2 id={`${id}-title`}>{title}</h2>
      {children}
      <div class="actions end">
        <a class="button" href={back} data-action="dialog#close">
          Cancel
        </a>
        {answer}
      </div>
    </dialog>
  );
}

interface DialogProps {
  readonly id: string;
  readonly title: string;
  /** Whether the page opens the dialog itself. */
  readonly isOpen?: boolean;
  /** The page to which cancelling leads. */
  readonly back: string;
  /** The button that confirms. */
  readonly answer?: VNode;
  readonly children?: ComponentChildren;
}
