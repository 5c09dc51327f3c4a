import { type ComponentChildren, type VNode } from 'preact';
import { type ConsoleWords } from '../messages/en.js';

/** Has a link open a dialog in place of the page that it leads to, which asks the same in browsers without JavaScript. */
export const opens = (dialog: string): Readonly<Record<string, string>> => ({
  'data-controller': 'opener',
  'data-action': 'opener#open',
  'data-opener-dialog-value': dialog,
});

/** A question in front of the page, which a link `opens`. */
export function Dialog({ id, title, words, isOpen = false, back, answer, children }: DialogProps): VNode {
  return (
    <dialog id={id} aria-labelledby={`${id}-title`} open={isOpen} data-controller="dialog">
      <form method="dialog">
        <button class="quiet dialog-close" aria-label={words.close}>
          ×
        </button>
      </form>
      <h2 id={`${id}-title`}>{title}</h2>
      {children}
      <div class="actions end">
        <a class="button" href={back} data-action="dialog#close">
          {words.cancel}
        </a>
        {answer}
      </div>
    </dialog>
  );
}

interface DialogProps {
  readonly id: string;
  readonly title: string;
  readonly words: ConsoleWords;
  /** Where the page itself asks. */
  readonly isOpen?: boolean;
  /** The page that it is in front of, for who does not want to. */
  readonly back: string;
  /** The button for who does. */
  readonly answer: VNode;
  readonly children?: ComponentChildren;
}
