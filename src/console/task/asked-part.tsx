import { type VNode } from 'preact';
import { type Action } from '../../actions/action.js';
import { type TaskSchema } from '../../workflows/fields/task-schema.js';
import { type SentValues, sentValue, type WayOfWriting } from '../parts/control.js';
import { Form, FormKey } from '../parts/form.js';
import { Question } from '../parts/labelled.js';
import { type NamedControl } from '../parts/notices.js';
import { labelOf } from '../task-shown.js';
import { shownValueOf, useTask } from './task-view.js';

const nameOf = (field: string): string => `given.${field}`;

/** Reads the values for an action from its form. Returns each value with its control. */
export function valuesGivenIn(
  { byName }: TaskSchema,
  { id, asked }: Action,
  form: URLSearchParams,
  reader: WayOfWriting,
): (NamedControl & { readonly sent: SentValues })[] {
  return asked.flatMap(({ field }, at) => {
    const ask = byName.get(field)?.view?.ask;
    const control = { id: askedId(id, at), label: labelOf(field), name: field };
    return ask ? { ...control, sent: sentValue(ask, form.getAll(nameOf(field)), reader) } : [];
  });
}

export const givenForm = (action: string): string => `given-${action}`;

const askedId = (action: string, at: number): string => `${givenForm(action)}-${at}`;

/** The form for the values of an action, filled in with the task's values. It is sent to the URL `at`. */
export function AskedFields({ action, at }: { readonly action: Action; readonly at: string }): VNode {
  const view = useTask();
  const { byName } = view.scope.workflow.schema;
  return (
    <Form action={at} id={givenForm(action.id)}>
      <FormKey />
      {action.asked.map(({ field, required = false }, index) => {
        const property = byName.get(field);
        const ask = property?.view?.ask;
        if (!property || !ask) return null;
        const value = shownValueOf(property, view);
        const control = { id: askedId(action.id, index), label: labelOf(field), name: nameOf(field) };
        return <Question {...control} ask={ask} value={value} isRequired={required} isFirst={index === 0} />;
      })}
    </Form>
  );
}
