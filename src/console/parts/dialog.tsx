import { type ComponentChildren, type VNode } from 'preact';

/** A button that opens the dialog with the id `dialog`, even without JavaScript. */
export function Opener({ dialog, look, children }: OpenerProps): VNode {
  return (
    <button type="button" class={look} command="show-modal" commandfor={dialog}>
      {children}
    </button>
  );
}

interface OpenerProps {
  readonly dialog: string;
  readonly look: string;
  readonly children: ComponentChildren;
}

export function Dialog({ id, title, isOpen = false, answer, children }: DialogProps): VNode {
  return (
    // If the dialog is open when the page appears, such as after a refusal, a click outside does not close
    // the dialog, because the user may click a link of the notice.
    <dialog id={id} aria-labelledby={`${id}-title`} open={isOpen} closedby={isOpen ? 'closerequest' : 'any'}>
      <button type="button" class="quiet dialog-close" command="close" commandfor={id} aria-label="Close">
        ×
      </button>
      <h2 id={`${id}-title`}>{title}</h2>
      {children}
      <div class="actions end">
        <button type="button" command="close" commandfor={id}>
          Cancel
        </button>
        {answer}
      </div>
    </dialog>
  );
}

interface DialogProps {
  readonly id: string;
  readonly title: string;
  readonly isOpen?: boolean;
  readonly answer?: VNode;
  readonly children?: ComponentChildren;
}
