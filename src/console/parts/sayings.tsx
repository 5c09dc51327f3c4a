import { type VNode } from 'preact';
import { type Said } from '../messages/sayings.js';

/** What there is to say, in one line; what is not in the reader's language is marked. */
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
