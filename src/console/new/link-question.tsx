import { type VNode } from 'preact';
import { type Property } from '../../schema/property.js';
import { Faults } from '../parts/form.js';
import { foundFrame } from '../parts/linkable.js';
import { type SignedIn } from '../reader.js';
import { type Message } from '../../lib/message.js';

/**
 * Asks for the tasks at the other end of a relationship. Without JavaScript it takes one Unique ID; with it, tasks are
 * found while somebody types, and each that is chosen is a tick that can be taken away.
 */
export function LinkQuestion({ to, property, id, url, chosen, messages }: LinkQuestionProps): VNode {
  const { name, links } = property;
  return (
    <div
      class="control"
      data-controller="finder"
      data-action="input->finder#ask keydown->finder#move click->finder#choose"
      data-finder-url-value={url}
      data-finder-multiple-value={String(links?.isMultiple)}
    >
      <label for={id}>{name}</label>
      <ul class="chosen" aria-live="polite" data-finder-target="chosen">
        {chosen.map((each) => (
          <Chosen name={name} id={each} />
        ))}
      </ul>
      <input
        id={id}
        name={name}
        autocomplete="off"
        data-finder-target="box"
        placeholder={to.words.task.linkBy(links?.uniqueId() ?? '')}
        {...(messages.length > 0 && { 'aria-invalid': true, 'aria-describedby': `${id}-fault` })}
      />
      <template data-finder-target="template">
        <Chosen name={name} id="" />
      </template>
      <Faults to={to} id={`${id}-fault`} messages={messages} />
      <turbo-frame id={foundFrame(property)} class="found" data-finder-target="found" />
    </div>
  );
}

interface LinkQuestionProps {
  readonly to: SignedIn;
  readonly property: Property;
  readonly id: string;
  /** Where tasks are looked for. */
  readonly url: string;
  /** Unique IDs. */
  readonly chosen: readonly string[];
  readonly messages: readonly Message[];
}

const Chosen = ({ name, id }: { readonly name: string; readonly id: string }): VNode => (
  <li>
    <label class="tick">
      <input type="checkbox" name={name} value={id} checked />
      <span>{id}</span>
    </label>
  </li>
);
