import { type ComponentChildren, type VNode } from 'preact';
import { Refusal } from '../../lib/errors.js';
import { InvalidFields } from '../../lib/field-errors.js';
import { type Said } from '../messages/en.js';
import { Choice, Choices } from '../parts/control.js';
import { Form } from '../parts/form.js';
import { Labelled, type LabelledAttributes } from '../parts/labelled.js';
import { type Notice } from '../parts/notices.js';
import { AdminPage } from './admin-page.js';
import { type Administrator } from './admin-pages.js';

/** A form as it is shown: what stands in it, and what is wrong with that, by the names of its controls. */
export interface Filled {
  readonly values: URLSearchParams;
  readonly faults: InvalidFields['fields'];
}

/** The form with what was sent, and why it was refused; other errors are thrown on. */
export function refusedForm(values: URLSearchParams, error: unknown): Filled {
  if (error instanceof Refusal && error.kind === 'conflict')
    return { values, faults: [['base', [error.said]]] };
  if (!(error instanceof InvalidFields)) throw error;
  return { values, faults: error.fields };
}

/** A page that is a form. Its answer may be a page to be seen once, and so none for Turbo to go on to. */
export function AdminFormPage({ view, children }: AdminFormPageProps): VNode {
  const { to, title, lead, above, action, button } = view;
  return (
    <AdminPage to={to} title={title} above={above} notice={noticeOf(view)}>
      <Form action={action} class="admin-form" data-turbo="false">
        <header class="execution-head">
          <h1>{title}</h1>
          {lead !== undefined && <p class="muted">{lead}</p>}
        </header>
        {children}
        <div class="actions">
          <button type="submit" class="primary">
            {button}
          </button>
          <a class="button quiet" href={view.back ?? above.href}>
            {to.words.cancel}
          </a>
        </div>
      </Form>
    </AdminPage>
  );
}

interface AdminFormPageProps {
  readonly view: {
    readonly to: Administrator;
    readonly title: string;
    readonly lead?: string;
    readonly above: { readonly href: string; readonly name: string };
    /** Where who changes their mind goes; to the page above unless it is said. */
    readonly back?: string;
    readonly action: string;
    readonly button: string;
    readonly form: Filled;
  };
  readonly children: ComponentChildren;
}

/** That something is wrong, and what of it belongs to none of the controls. */
function noticeOf({ to, form }: AdminFormPageProps['view']): Notice | undefined {
  if (form.faults.length === 0) return undefined;
  const others = form.faults.flatMap(([name, messages]): Said[] =>
    name === 'base' ? messages.map(to.words.said) : [],
  );
  return { tone: 'bad', lines: [{ text: to.words.admin.faulty }, ...others] };
}

/** A control of a form by its name, with what is wrong with what was entered. */
export function FormControl({ form, name, control, ...more }: FormControlProps): VNode {
  const messages = form.faults.flatMap(([of, texts]) => (of === name ? texts : []));
  return (
    <Labelled
      {...more}
      id={`form-${name}`}
      messages={messages}
      control={(attributes) => control({ ...attributes, name })}
    />
  );
}

interface FormControlProps {
  readonly to: Administrator;
  readonly form: Filled;
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly isGroup?: boolean;
  readonly isRequired?: boolean;
  readonly control: (attributes: LabelledAttributes & { readonly name: string }) => VNode;
}

/** One of several, each with a word of its own. */
export function ChoiceControl({ options, ...more }: ChoiceControlProps<string>): VNode {
  const chosen = more.form.values.get(more.name) ?? '';
  const control = (attributes: Named): VNode => <Choice {...attributes} options={options} chosen={chosen} />;
  return <FormControl {...more} control={control} />;
}

/** Some of several. */
export function ChoicesControl({ options, ...more }: ChoiceControlProps<ComponentChildren>): VNode {
  const chosen = more.form.values.getAll(more.name);
  const control = (attributes: Named): VNode => <Choices {...attributes} options={options} chosen={chosen} />;
  return <FormControl {...more} isGroup control={control} />;
}

type Named = Parameters<FormControlProps['control']>[0];

type ChoiceControlProps<Label> = Omit<FormControlProps, 'control' | 'isGroup'> & {
  readonly options: readonly (readonly [value: string, label: Label])[];
};
