import { type LivePage, ConsolePage } from '../layout.js';
import { type ComponentChildren, type VNode } from 'preact';
import { type Notice, refusedForm } from '../parts/notices.js';
import { type AdminRequest, type ShownThing, type AdminForm, type FormControl } from './admin-page.js';
import { type InvalidFields } from '../../common/field-errors.js';
import { Crumbs } from '../parts/crumbs.js';
import { Form, FormKey } from '../parts/form.js';
import { Question } from '../parts/labelled.js';

export function DetailFrame({ heading, badge, lead, children, ...frame }: DetailFrameProps): VNode {
  return (
    <AdminFrame {...frame}>
      <div class="admin-column stack">
        <header class="detail-head stack gap-1">
          <h1 class="line">
            {heading ?? frame.title} {badge}
          </h1>
          {lead !== undefined && <p class="muted">{lead}</p>}
        </header>
        {children}
      </div>
    </AdminFrame>
  );
}

interface DetailFrameProps extends AdminFrameProps, Pick<ShownThing, 'heading' | 'badge' | 'lead'> {}

export function AdminFrame({ asked, title, above, notice, live, children }: AdminFrameProps): VNode {
  const { reader, tabs } = asked;
  const here = tabs.find(({ pages }) => pages.some(([href]) => isWithin(reader.path, href)));
  return (
    <ConsolePage title={title} live={live} notice={notice}>
      <nav class="tabs line gap-1" aria-label="Administration">
        {tabs.map((tab) => (
          <a href={tab.pages[0]?.[0] ?? ''} aria-current={tab === here ? 'true' : undefined}>
            {tab.title}
          </a>
        ))}
      </nav>
      {here && here.pages.length > 1 && (
        <nav class="kinds line gap-1" aria-label={here.title}>
          {here.pages.map(([href, name]) => (
            <a href={href} aria-current={isWithin(reader.path, href) ? 'page' : undefined}>
              {name}
            </a>
          ))}
        </nav>
      )}
      {above && <Crumbs path={above.href} above={above.name} here={title} />}
      {children}
    </ConsolePage>
  );
}

interface AdminFrameProps {
  readonly asked: AdminRequest;
  readonly title: string;
  readonly above?: { readonly href: string; readonly name: string };
  readonly notice?: Notice | undefined;
  readonly live?: LivePage | undefined;
  readonly children: ComponentChildren;
}

const isWithin = (path: string, page: string): boolean => path === page || path.startsWith(`${page}/`);

/** A page that is a form. Turbo requires a redirect, so it is off for a form whose answer shows a secret once. */
export function FormPage({ form, faults, above, action, asked }: FormPageProps): VNode {
  const { title, lead, button, controls, values } = form;
  const named = controls.map(({ name, label }) => ({ name, label, id: `form-${name}` }));
  const notice = faults.length > 0 ? refusedForm(named, faults, ['Not saved.']) : undefined;
  return (
    <DetailFrame asked={asked} title={title} lead={lead} above={above} notice={notice}>
      <Form action={action} class="admin-form stack" data-turbo="false">
        <FormKey />
        {controls.map((control, at) => (
          <Question
            {...control}
            id={`form-${control.name}`}
            value={valueIn(values, control)}
            isFirst={at === 0 && faults.length === 0}
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
  readonly above: { readonly href: string; readonly name: string };
  readonly action: string;
  readonly asked: AdminRequest;
}

/** The faults of each control by its name; faults without a control are under `base`. */
export type FormFaults = InvalidFields['fields'];

const valueIn = (values: URLSearchParams, { name, ask }: FormControl) =>
  ask.by === 'options' ? values.getAll(name) : (values.get(name) ?? '');
