import { type VNode } from 'preact';
import { type Action } from '../../actions/action.js';
import { type TaskSchema } from '../../workflows/fields/task-schema.js';
import { Control, type SentValues, sentValue, type WayOfWriting } from '../parts/control.js';
import { Form, FormKey } from '../parts/form.js';
import { Labelled } from '../parts/labelled.js';
import { labelOf } from '../task-shown.js';
import { shownValueOf } from './shown-value.js';
import { type TaskPageView } from './task-view.js';

const nameOf = (field: string): string => `given.${field}`;

/** What a form gives to an action, by the names of fields. */
export function valuesGivenIn(
  { byName }: TaskSchema,
  asked: Action['asked'],
  form: URLSearchParams,
  reader: WayOfWriting,
): ReadonlyMap<string, SentValues> {
  const given = new Map<string, SentValues>();
  for (const { field } of asked) {
    const ask = byName.get(field)?.view?.ask;
    if (ask) given.set(field, sentValue(ask, form.getAll(nameOf(field)), reader));
  }
  return given;
}

/** Asks for the values of an action; what the task has already stands there. */
export function AskedFields({ view, action, id, at }: AskedFieldsProps): VNode {
  const { scope, refusedGiven } = view;
  const { byName } = scope.workflow.schema;
  return (
    <Form action={at} id={id} data-turbo-action="replace">
      <FormKey />
      {action.asked.map(({ field, required = false }, index) => {
        const property = byName.get(field);
        const ask = property?.view?.ask;
        if (!property || !ask) return null;
        return (
          <Labelled
            id={`${id}-${index}`}
            label={labelOf(field)}
            isGroup={ask.by === 'options'}
            isRequired={required}
            control={(attributes) => (
              <Control
                {...attributes}
                ask={ask}
                value={refusedGiven?.entered.get(field) ?? shownValueOf(property, view)}
                name={nameOf(field)}
                autofocus={index === 0 && !refusedGiven}
              />
            )}
          />
        );
      })}
    </Form>
  );
}

interface AskedFieldsProps {
  readonly view: TaskPageView;
  readonly action: Action;
  readonly id: string;
  /** Where the form is sent. */
  readonly at: string;
}
