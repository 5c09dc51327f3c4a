import { en } from './words.js';
import { type Said, said } from '../parts/sayings.js';
import { type ComponentChildren, type VNode } from 'preact';
import { Refusal } from '../../lib/errors.js';
import { InvalidFields } from '../../lib/field-errors.js';
import { Choice, Choices } from '../parts/control.js';
import { Form, Hidden } from '../parts/form.js';
import { Labelled, type LabelledAttributes } from '../parts/labelled.js';
import { formNotice, type Notice } from '../parts/notices.js';
import { type Message } from '../../lib/message.js';
import { type Reply } from '../../lib/reply.js';
import { pageReply } from '../page.js';
import { DetailPage } from './admin-page.js';
import { type Administrator } from './admin-pages.js';

/** A form as it is shown: what stands in it, and what is wrong with that, by the names of its controls. */
export interface Filled {
  readonly values: URLSearchParams;
  readonly faults: InvalidFields['fields'];
}

/** The form with what was sent, and why it was refused; other errors are thrown on. */
function refusedForm(values: URLSearchParams, error: unknown): Filled {
  if (error instanceof Refusal && error.kind === 'conflict')
    return { values, faults: [['base', [error.said]]] };
  if (!(error instanceof InvalidFields)) throw error;
  return { values, faults: error.fields };
}

/** A form of the administration: what it is for, what it asks for, and where it is sent. */
export interface AdminFormView {
  readonly reader: Administrator;
  readonly title: string;
  readonly lead?: string;
  readonly above: { readonly href: string; readonly name: string };
  /** Where who changes their mind goes; to the page above unless it is said. */
  readonly back?: string;
  readonly action: string;
  readonly button: string;
  readonly form: Filled;
  /** People begin at the first. */
  readonly controls: readonly FormControl[];
  /** What is sent along. */
  readonly hidden?: Readonly<Record<string, string>>;
}

/** Something that a form asks for. */
type FormControl = {
  readonly name: string;
  readonly label: string;
  readonly hint?: string | undefined;
  readonly isRequired?: boolean;
} & (
  | { readonly by: 'line'; readonly maxLength: number; readonly inputMode?: 'url' }
  | { readonly by: 'lines' | 'day' }
  | { readonly by: 'choice'; readonly options: readonly (readonly [value: string, label: string])[] }
  | {
      readonly by: 'choices';
      readonly options: readonly (readonly [value: string, label: ComponentChildren])[];
    }
);

/** What a control is called, and what helps to fill it in: by its name in the words of its page. */
export const askedFor = <Name extends string>(
  words: Readonly<Record<Name, string>> & Readonly<Partial<Record<`${Name}Hint`, string>>>,
  name: Name,
) => ({ name, label: words[name], hint: words[`${name}Hint`] });

/** Does what a form asks for, or shows it again with why it was refused. */
export async function answerForm(
  view: (form: Filled) => AdminFormView,
  values: URLSearchParams,
  work: () => Promise<Reply>,
): Promise<Reply> {
  try {
    return await work();
  } catch (error) {
    return formReply(view(refusedForm(values, error)));
  }
}

/** Answers with a form. */
export function formReply(view: AdminFormView): Reply {
  return pageReply(<AdminFormPage view={view} />, { status: view.form.faults.length > 0 ? 422 : 200 });
}

/** A page that is a form. Its answer may be a page to be seen once, and so none for Turbo to go on to. */
function AdminFormPage({ view }: { readonly view: AdminFormView }): VNode {
  const { above, action, button, back, form, controls, hidden = {}, ...head } = view;
  return (
    <DetailPage above={above} {...head} notice={noticeOf(view)}>
      <Form action={action} class="admin-form stack" data-turbo="false">
        <Hidden fields={hidden} />
        {controls.map((control, at) => (
          <Labelled
            {...control}
            id={`form-${control.name}`}
            isGroup={control.by === 'choices'}
            messages={faultsAbout(form, control.name)}
            control={(attributes) => (
              <Entered
                control={control}
                values={form.values}
                attributes={attributes}
                isFirst={at === 0 && form.faults.length === 0}
              />
            )}
          />
        ))}
        <div class="actions">
          <button type="submit" class="primary">
            {button}
          </button>
          <a class="button quiet" href={back ?? above.href}>
            {en.cancel}
          </a>
        </div>
      </Form>
    </DetailPage>
  );
}

const faultsAbout = ({ faults }: Filled, name: string): readonly Message[] =>
  faults.flatMap(([of, messages]) => (of === name ? messages : []));

/** That something is wrong, with a way to each control that it is wrong with, and what of it belongs to none of the controls. */
function noticeOf({ form, controls }: AdminFormView): Notice | undefined {
  if (form.faults.length === 0) return undefined;
  const others = form.faults.flatMap(([name, messages]): Said[] =>
    name === 'base' ? messages.map(said) : [],
  );
  const faults = controls.map(({ name, label }) => ({ id: `form-${name}`, label, messages: faultsAbout(form, name) })); // prettier-ignore
  return formNotice([{ text: en.admin.faulty }, ...others], faults);
}

interface EnteredProps {
  readonly control: FormControl;
  readonly values: URLSearchParams;
  readonly attributes: LabelledAttributes;
  readonly isFirst: boolean;
}

function Entered({ control, values, attributes, isFirst }: EnteredProps): VNode {
  const { name } = control;
  const value = values.get(name) ?? '';
  const more = { ...attributes, name, autofocus: isFirst };
  switch (control.by) {
    case 'line': {
      const { inputMode, maxLength } = control;
      return <input {...more} {...{ inputMode, maxLength, value }} autocomplete="off" />;
    }
    case 'lines':
      return (
        <textarea {...more} class="code" rows={2} spellcheck={false}>
          {`\n${value}`}
        </textarea>
      );
    case 'day':
      return <input {...more} type="date" value={value} max="9999-12-31" />;
    case 'choice':
      return <Choice {...more} options={control.options} chosen={value} />;
    case 'choices':
      return <Choices {...more} options={control.options} chosen={values.getAll(name)} />;
  }
}
