import { type ComponentChildren, type VNode } from 'preact';
import { Section } from './section.js';

/** A secret that is shown only once, in the response that creates it. Browsers do not cache the page. */
export function ShownOnce({ title, secret, children }: ShownOnceProps): VNode {
  return (
    <Section class="shown-once" id="once" title={title} data-turbo-temporary>
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
    </Section>
  );
}

interface ShownOnceProps {
  readonly title: string;
  readonly secret: string;
  readonly children: ComponentChildren;
}
