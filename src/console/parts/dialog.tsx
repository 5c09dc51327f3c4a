import { type ComponentChildren, type VNode } from 'preact';

/** Has a link open a dialog in place of the page that it leads to, which asks the same in browsers without JavaScript. */
export const opens = (dialog: string): Readonly<Record<string, string>> => ({
  'data-controller': 'opener',
  'data-action': 'opener#open',
  'data-opener-dialog-value': dialog,
});

/** A question in front of the page, which a link `opens`. */
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
  /** Where the page itself asks. */
  readonly isOpen?: boolean;
  /** The page that it is in front of, for who does not want to. */
  readonly back: string;
  /** The button for who does. */
  readonly answer?: VNode;
  readonly children?: ComponentChildren;
}
