import { type VNode } from 'preact';
import { Icon } from './icon.js';
import { type Said } from '../messages/en.js';
import { type Reader } from '../reader.js';
import { type Message } from '../../lib/message.js';

/** Messages in one line; those that are not in the reader's language are marked. */
export function Sayings({ all }: { readonly all: readonly Said[] }): VNode {
  return (
    <span>
      {all.map(({ text, lang }, at) => (
        <>
          {at > 0 && ' · '}
          {lang === undefined ? text : <span lang={lang}>{text}</span>}
        </>
      ))}
    </span>
  );
}

/** Why a page does not ask for a value: what the API would refuse it with. */
export function Reason({ to, text }: { readonly to: Reader; readonly text: Message }): VNode {
  return (
    <p class="muted small reason">
      <Icon name="lock" />
      <Sayings all={[to.words.said(text)]} />
    </p>
  );
}
