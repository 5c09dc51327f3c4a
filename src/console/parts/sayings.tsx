import { type VNode } from 'preact';
import { type Said } from '../messages/en.js';

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
