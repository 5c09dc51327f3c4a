import { type VNode } from 'preact';
import { type InvalidFields } from '../../common/field-errors.js';
import { Control } from '../parts/control.js';
import { Form, FormKey } from '../parts/form.js';
import { Labelled } from '../parts/labelled.js';
import { formNotice, type Notice } from '../parts/notices.js';
import { said } from '../parts/sayings.js';
import { DetailFrame } from './admin-frame.js';
import { type AdminForm, type AdminRequest, type FormControl } from './admin-page.js';

/** A page that is a form. Its answer may be a page to be seen once, and so none for Turbo to go on to. */
export function FormPage({ form, faults, above, action, asked }: FormPageProps): VNode {
  const { title, lead, button, controls, values } = form;
  return (
    <DetailFrame asked={asked} title={title} lead={lead} above={above} notice={noticeOf(form, faults)}>
      <Form action={action} class="admin-form stack" data-turbo="false">
        <FormKey />
        {controls.map((control, at) => (
          <Labelled
            {...control}
            id={`form-${control.name}`}
            isGroup={control.ask.by === 'options'}
            control={(attributes) => (
              <Control
                {...attributes}
                ask={control.ask}
                value={valueIn(values, control)}
                name={control.name}
                autofocus={at === 0 && faults.length === 0}
              />
            )}
          />
        ))}
        <div class="actions">
          <button type="submit" class="primary">
            {button}
          </button>
          <a class="button quiet" href={above.href}>
            Cancel
          </a>
        </div>
      </Form>
    </DetailFrame>
  );
}

interface FormPageProps {
  readonly form: AdminForm;
  readonly faults: FormFaults;
  /** Where who changes their mind goes. */
  readonly above: { readonly href: string; readonly name: string };
  readonly action: string;
  readonly asked: AdminRequest;
}

/** The faults of each control by its name, and those of no control as `base`. */
export type FormFaults = InvalidFields['fields'];

const faultsAbout = (faults: FormFaults, name: string) =>
  faults.flatMap(([of, messages]) => (of === name ? messages : []));

/** A notice that links to each wrong control. */
function noticeOf({ controls }: AdminForm, faults: FormFaults): Notice | undefined {
  if (faults.length === 0) return undefined;
  const others = faultsAbout(faults, 'base').map(said);
  const ofControls = controls.map(({ name, label }) => ({ id: `form-${name}`, label, messages: faultsAbout(faults, name) })); // prettier-ignore
  return formNotice(ofControls, [{ text: 'Not saved.' }, ...others]);
}

const valueIn = (values: URLSearchParams, { name, ask }: FormControl) =>
  ask.by === 'options' ? values.getAll(name) : (values.get(name) ?? '');
