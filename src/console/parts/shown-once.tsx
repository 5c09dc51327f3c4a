import { type ComponentChildren, type VNode } from 'preact';

/** A secret that only the answer to its form shows; browsers do not cache that page. */
export function ShownOnce({ title, secret, children }: ShownOnceProps): VNode {
  return (
    <section class="shown-once" aria-labelledby="once-name" data-turbo-temporary>
      <h2 id="once-name">{title}</h2>
      <div class="copy" data-controller="copy">
        <input
          readOnly
          value={secret}
          autocomplete="off"
          autofocus
          aria-labelledby="once-name"
          data-copy-target="text"
          data-action="focus->copy#select"
        />
        <button type="button" hidden data-copy-target="button" data-action="copy#copy">
          Copy
        </button>
      </div>
      <p class="muted">{children}</p>
    </section>
  );
}

interface ShownOnceProps {
  readonly title: string;
  readonly secret: string;
  readonly children: ComponentChildren;
}
