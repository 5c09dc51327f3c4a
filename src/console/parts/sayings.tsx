import { type VNode } from 'preact';
import { Icon } from './icon.js';
import { isSignedInReader, nameOfPerson, type Reader, useAnybody } from '../reader.js';
import { english, type Message } from '../../common/message.js';

/** Writes messages for the reader, with people's names in place of their e-mail addresses. */
export function useNamed(): (message: Message) => string {
  const reader = useAnybody();
  return (message) =>
    english(message).replace(
      /[^\s@:,()]+@[^\s@:,;()]*[^\s@:,;.()]/g,
      (email) => nameOfEmail(reader, email) ?? email,
    );
}

/** `you`, or the name of a user of the workspace; undefined if no user has the address. */
function nameOfEmail(reader: Reader, email: string): string | undefined {
  if (!isSignedInReader(reader)) return undefined;
  if (email === reader.user.email) return 'you';
  const user = reader.workspace.users.find(email);
  return user && nameOfPerson(user);
}

export function Sayings({ all }: { readonly all: readonly Message[] }): VNode {
  return <span>{all.map(useNamed()).join(' · ')}</span>;
}

/** Why a page does not ask for a value: the reason with which the API would refuse it. */
export function Reason({ text }: { readonly text: Message }): VNode {
  return (
    <p class="muted small reason">
      <Icon name="lock" />
      <Sayings all={[text]} />
    </p>
  );
}
