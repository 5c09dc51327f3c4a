import { type ComponentChildren, type VNode } from 'preact';
import { type InvalidFields } from '../../common/field-errors.js';
import { ConsolePage, type LivePage } from '../layout.js';
import { Crumbs } from '../parts/crumbs.js';
import { Dialog, Opener } from '../parts/dialog.js';
import { ButtonForm, Form, FormKey } from '../parts/form.js';
import { Icon } from '../parts/icon.js';
import { Question } from '../parts/labelled.js';
import { type Notice, refusedForm } from '../parts/notices.js';
import { ShownOnce } from '../parts/shown-once.js';
import { Section } from '../parts/section.js';
import { useReader } from '../reader.js';
import { adminListPart } from './admin-list.js';
import { type AdminCreation, type AdminOperation, type AdminPage, adminPath, type AdminRequest, type AdminThing, type Secret, type ThingPage } from './admin-page.js'; // prettier-ignore
import { tabsFor } from './admin-pages.js';
import { Facts } from './facts.js';

/** What the response to an operation adds to a page. */
export interface PageExtras {
  readonly status?: number;
  readonly notice?: Notice | undefined;
  readonly secret?: Secret;
}

export async function listPage(page: AdminPage, asked: AdminRequest, { notice }: PageExtras): Promise<VNode> {
  const { title, lead, live } = page;
  const [above, [part, count]] = await Promise.all([page.above?.(asked), adminListPart(page, asked)]);
  const create = page.create?.(asked);
  return (
    <AdminFrame title={title} notice={notice} live={live}>
      <header class="page-head spread">
        <div class="stack gap-1">
          <h1>
            {title} {count > 0 && <span class="count">{count.toLocaleString(asked.reader.locale)}</span>}
          </h1>
          {lead !== undefined && <p class="muted">{lead}</p>}
        </div>
        {create && (
          <a class="button primary" href={`${asked.path}?new`}>
            <Icon name="plus" /> {create.title}
          </a>
        )}
      </header>
      {above !== undefined && <div class="admin-column stack">{above}</div>}
      {part}
    </AdminFrame>
  );
}

export async function thingPage(
  { path, title }: AdminPage,
  asked: AdminRequest,
  { page, operations = {} }: AdminThing & { readonly page: ThingPage },
  { notice, secret }: PageExtras,
): Promise<VNode> {
  const { facts, content, list, ...head } = page;
  const above = { href: adminPath(path), name: title };
  const buttons = Object.entries(operations).map(
    ([name, one]) => one && <OperationButton name={name} action={`${asked.path}/${name}`} {...one} />,
  );
  return (
    <DetailFrame {...head} above={above} notice={notice} live={secret ? undefined : page.live}>
      {secret && (
        <ShownOnce title={secret.title} secret={secret.value}>
          {secret.about}
        </ShownOnce>
      )}
      <div class="actions">{buttons}</div>
      {facts && <Facts rows={facts} />}
      {content}
      {list && (
        <Section id="list" title={list.title}>
          {(await adminListPart(list, asked))[0]}
        </Section>
      )}
    </DetailFrame>
  );
}

/** A button that runs an operation. If the operation has a question, a dialog asks the question first. */
function OperationButton({ name, action, title, look, asks }: ButtonProps): VNode {
  const button = (
    <ButtonForm action={action} look={look ?? ''} isWhole>
      {title}
    </ButtonForm>
  );
  if (!asks) return button;
  const dialog = `ask-${name}`;
  return (
    <>
      <Opener dialog={dialog} look={look ?? ''}>
        {title}…
      </Opener>
      <Dialog id={dialog} title={asks.title} answer={button}>
        {asks.text}
      </Dialog>
    </>
  );
}

interface ButtonProps extends AdminOperation {
  readonly name: string;
  readonly action: string;
}

/**
 * The form that creates a thing. The response may be a page with a secret, but Turbo requires a redirect.
 * Therefore, the form does not use Turbo.
 */
export function NewThingPage({ page, path, create, faults, sent }: NewThingProps): VNode {
  const { title, lead, controls } = create;
  const named = controls.map(({ name, label }) => ({ name, label, id: `form-${name}` }));
  const notice = faults.length > 0 ? refusedForm(named, faults, ['Not saved.']) : undefined;
  return (
    <DetailFrame title={title} lead={lead} above={{ href: path, name: page.title }} notice={notice}>
      <Form action={path} class="admin-form stack" data-turbo="false">
        <FormKey />
        {controls.map((control, at) => (
          <Question
            {...control}
            id={`form-${control.name}`}
            value={sent.get(control.name) ?? ''}
            isFirst={at === 0 && faults.length === 0}
          />
        ))}
        <div class="actions">
          <button type="submit" class="primary">
            {title}
          </button>
          <a class="button quiet" href={path}>
            Cancel
          </a>
        </div>
      </Form>
    </DetailFrame>
  );
}

interface NewThingProps {
  readonly page: AdminPage;
  readonly path: string;
  readonly create: AdminCreation;
  /** Maps the name of a control to its faults. Faults without a control are under `base`. */
  readonly faults: InvalidFields['fields'];
  readonly sent: URLSearchParams;
}

function DetailFrame({ badge, lead, children, ...frame }: DetailFrameProps): VNode {
  return (
    <AdminFrame {...frame}>
      <div class="admin-column stack">
        <header class="detail-head stack gap-1">
          <h1 class="line">
            {frame.title} {badge}
          </h1>
          {lead !== undefined && <p class="muted">{lead}</p>}
        </header>
        {children}
      </div>
    </AdminFrame>
  );
}

interface DetailFrameProps extends AdminFrameProps, Pick<ThingPage, 'badge' | 'lead'> {}

function AdminFrame({ title, above, notice, live, children }: AdminFrameProps): VNode {
  const { path: here, administers } = useReader();
  const tabs = administers ? tabsFor(administers) : [];
  const tab = tabs.find(({ pages }) => pages.some((page) => isWithin(here, page)));
  return (
    <ConsolePage title={title} live={live} notice={notice}>
      <nav class="tabs ways" aria-label="Administration">
        {tabs.map((one) => (
          <a href={adminPath(one.pages[0]?.path ?? '')} aria-current={one === tab ? 'true' : undefined}>
            {one.title}
          </a>
        ))}
      </nav>
      {tab && tab.pages.length > 1 && (
        <nav class="ways" aria-label={tab.title}>
          {tab.pages.map((page) => (
            <a href={adminPath(page.path)} aria-current={isWithin(here, page) ? 'page' : undefined}>
              {page.title}
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
  readonly title: string;
  readonly above?: { readonly href: string; readonly name: string };
  readonly notice?: Notice | undefined;
  readonly live?: LivePage | undefined;
  readonly children: ComponentChildren;
}

const isWithin = (here: string, { path }: AdminPage): boolean => `${here}/`.startsWith(`${adminPath(path)}/`);
