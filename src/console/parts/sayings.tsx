import { type VNode } from 'preact';
import { Icon } from './icon.js';
import { type Said } from '../messages/en.js';
import { type Reader, type SignedIn } from '../reader.js';
import { taskMetIn } from '../../actions/exists-already.js';
import { taskPath } from '../task-shown.js';
import { type Message } from '../../lib/message.js';

/** Messages in one line; those that are not in the reader's language are marked. */
export function Sayings({ all }: { readonly all: readonly Said[] }): VNode {
  return (
    <span>
      {all.map(({ text, lang, href }, at) => (
        <>
          {at > 0 && ' · '}
          {href === undefined ? (
            <span lang={lang}>{text}</span>
          ) : (
            <a href={href} lang={lang}>
              {text}
            </a>
          )}
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

/** A message, leading to the task that it has met, if there is one of a workflow that the reader knows. */
export function saidOf({ words, workflows }: SignedIn, message: Message): Said {
  const [name, id = ''] = taskMetIn(message) ?? [];
  const met = workflows.find((workflow) => workflow.name === name);
  return {
    ...words.said(message),
    ...(met && { href: taskPath(met, { publicId: encodeURIComponent(id) }) }),
  };
}
