import { type VNode } from 'preact';
import { Icon } from './icon.js';
import { isSignedInReader, nameOfEmail, useAnybody } from '../reader.js';
import { english, type Message } from '../../common/message.js';

/**
 * Returns a function that writes a message with the names of users instead of their e-mail addresses. The
 * reader is called `you`. People who are not signed in see the addresses.
 */
export function useNamed(): (message: Message) => string {
  const reader = useAnybody();
  if (!isSignedInReader(reader)) return english;
  const nameOf = (email: string): string =>
    email === reader.user.email ? 'you' : nameOfEmail(reader, email);
  return (message) => english(message).replace(/[^\s@:,()]+@[^\s@:,;()]*[^\s@:,;.()]/g, nameOf);
}

export function Sayings({ all }: { readonly all: readonly Message[] }): VNode {
  return <span>{all.map(useNamed()).join(' · ')}</span>;
}

/** Says why a page has no control for a value. `text` is what the API would say if it refused a change. */
export function Reason({ text }: { readonly text: Message }): VNode {
  return (
    <p class="muted small reason">
      <Icon name="lock" />
      <Sayings all={[text]} />
    </p>
  );
}
