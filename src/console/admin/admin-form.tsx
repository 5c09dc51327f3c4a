import { type ComponentChildren, type VNode } from 'preact';
import { Refusal } from '../../lib/errors.js';
import { InvalidFields } from '../../lib/field-errors.js';
import { type Said } from '../messages/sayings.js';
import { Faults, Form } from '../parts/form.js';
import { RequiredMark } from '../parts/required-mark.js';
import { AdminPage, type AdminNotice } from './admin-page.js';
import { type Administrator } from './admin-pages.js';

/** A form as it is shown: what stands in it, and what is wrong with that, by the names of its controls. */
export interface Filled {
  readonly values: URLSearchParams;
  readonly faults: InvalidFields['fields'];
}

/** The form with what was sent, and why it was refused; other errors are thrown on. */
export function refusedForm(values: URLSearchParams, error: unknown): Filled {
  if (error instanceof Refusal && error.kind === 'conflict')
    return { values, faults: [['base', [error.message]]] };
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
function noticeOf({ to, form }: AdminFormPageProps['view']): AdminNotice | undefined {
  if (form.faults.length === 0) return undefined;
  const others = form.faults.flatMap(([name, messages]): Said[] =>
    name === 'base' ? messages.map(to.words.said) : [],
  );
  return { tone: 'bad', lines: [{ text: to.words.admin.faulty }, ...others] };
}

/** A control with its label, what helps to fill it in, and what is wrong with what was entered. */
export function Labelled({
  to,
  form,
  name,
  label,
  hint,
  isGroup = false,
  isRequired = false,
  control,
}: LabelledProps): VNode {
  const id = `form-${name}`;
  const messages = form.faults.flatMap(([of, texts]) => (of === name ? texts : []));
  const described = [
    ...(hint === undefined ? [] : [`${id}-hint`]),
    ...(messages.length > 0 ? [`${id}-fault`] : []),
  ];
  return (
    <div class="control">
      <label id={`${id}-label`} {...(!isGroup && { for: id })}>
        {label}
        {isRequired && <RequiredMark label={to.words.task.required} />}
      </label>
      {hint !== undefined && (
        <p class="muted small" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {control({
        id,
        name,
        ...(isGroup && { 'aria-labelledby': `${id}-label` }),
        ...(isRequired && !isGroup && { 'aria-required': true }),
        ...(messages.length > 0 && !isGroup && { 'aria-invalid': true }),
        ...(described.length > 0 && { 'aria-describedby': described.join(' ') }),
      })}
      <Faults to={to} id={`${id}-fault`} messages={messages} />
    </div>
  );
}

interface LabelledProps {
  readonly to: Administrator;
  readonly form: Filled;
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  /** Whether it is several controls with one name. */
  readonly isGroup?: boolean;
  readonly isRequired?: boolean;
  readonly control: (attributes: ControlAttributes) => VNode;
}

interface ControlAttributes {
  readonly id: string;
  readonly name: string;
  readonly 'aria-labelledby'?: string;
  readonly 'aria-required'?: boolean;
  readonly 'aria-invalid'?: boolean;
  readonly 'aria-describedby'?: string;
}

/** Some of several, each with a word of its own. */
export function Ticks({ form, options, ...more }: TicksProps): VNode {
  const chosen = form.values.getAll(more.name);
  const gone = chosen.filter((value) => !options.some(([known]) => known === value));
  const { name, ...group } = more;
  return (
    <div class="ticks" role="group" {...group}>
      {[...options, ...gone.map((value) => [value, value] as const)].map(([value, label]) => (
        <label class="tick">
          <input type="checkbox" name={name} value={value} checked={chosen.includes(value)} />
          {label}
        </label>
      ))}
    </div>
  );
}

interface TicksProps extends ControlAttributes {
  readonly form: Filled;
  readonly options: readonly (readonly [value: string, label: ComponentChildren])[];
}
