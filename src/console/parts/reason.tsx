import { type VNode } from 'preact';
import { type Reader } from '../reader.js';
import { Sayings } from './sayings.js';
import { type Message } from '../../lib/message.js';

/** Why a page does not ask for a value: what the API would refuse it with. */
export function Reason({ to, text }: { readonly to: Reader; readonly text: Message }): VNode {
  return (
    <p class="muted small">
      <Sayings all={[to.words.said(text)]} />
    </p>
  );
}
