import { type VNode } from 'preact';
import { Icon } from './icon.js';
import { type SignedIn } from '../reader.js';
import { taskMetIn } from '../../actions/exists-already.js';
import { taskPath } from '../task-shown.js';
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

/** A message, leading to the task that it has met, if there is one of a workflow that the reader knows. */
export function saidOf({ workflows }: SignedIn, message: Message): Said {
  const [name, id = ''] = taskMetIn(message) ?? [];
  const met = workflows.find((workflow) => workflow.name === name);
  return {
    ...said(message),
    ...(met && { href: taskPath(met, { publicId: encodeURIComponent(id) }) }),
  };
}
