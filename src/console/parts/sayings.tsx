import { type VNode } from 'preact';
import { Icon } from './icon.js';
import { english, type Message } from '../../lib/message.js';

/** A message as pages show it. */
export interface Said {
  readonly text: string;
  /** The page of what it tells of. */
  readonly href?: string;
}

export const said = (message: Message): Said => ({ text: english(message) });

/** Messages in one line. */
export function Sayings({ all }: { readonly all: readonly Said[] }): VNode {
  return (
    <span>
      {all.map(({ text, href }, at) => (
        <>
          {at > 0 && ' · '}
          {href === undefined ? <span>{text}</span> : <a href={href}>{text}</a>}
        </>
      ))}
    </span>
  );
}

/** Why a page does not ask for a value: what the API would refuse it with. */
export function Reason({ text }: { readonly text: Message }): VNode {
  return (
    <p class="muted small reason">
      <Icon name="lock" />
      <Sayings all={[said(text)]} />
    </p>
  );
}
