import { type ComponentChildren, type VNode } from 'preact';
import { Dialog, Opener } from '../parts/dialog.js';
import { ButtonForm } from '../parts/form.js';
import { type Notice } from '../parts/notices.js';
import { ShownOnce } from '../parts/shown-once.js';
import { DetailFrame } from './admin-frame.js';
import { adminPath, type AdminPage, type AdminRequest, type FactRow, type AdminOperation, type Secret, type ShownThing } from './admin-page.js'; // prettier-ignore

export function ThingPage<Thing>({ page, thing, shown, asked, notice, secret }: ThingProps<Thing>): VNode {
  const { title, heading, badge, lead, why, facts = [], parts, live } = shown;
  const above = { href: adminPath(page.path), name: page.title };
  return (
    <DetailFrame {...{ asked, title, heading, badge, lead, above, notice }} live={secret ? undefined : live}>
      {secret && (
        <ShownOnce title={secret.title} secret={secret.value}>
          {secret.about}
        </ShownOnce>
      )}
      {why}
      <div class="actions">
        {Object.entries(page.operations ?? {})
          .filter(([, operation]) => !operation.isElsewhere && operation.isAllowed?.(thing) !== false)
          .map(([name, operation]) => (
            <OperationButton {...{ name, operation, thing, asked }} />
          ))}
      </div>
      {facts.length > 0 && <Facts rows={facts} />}
      {parts}
    </DetailFrame>
  );
}

interface ThingProps<Thing> {
  readonly page: Pick<AdminPage<Thing>, 'path' | 'title' | 'operations'>;
  readonly thing: Thing;
  readonly shown: ShownThing;
  readonly asked: AdminRequest;
  readonly notice: Notice | undefined;
  readonly secret: Secret | undefined;
}

/** The button of an operation, or a link to its question or form. */
function OperationButton<Thing>({ name, operation, thing, asked }: ButtonProps<Thing>): VNode {
  const { title, look = '' } = operation;
  const action = `${asked.path}/${name}`;
  if (operation.form)
    return (
      <a class={`button ${look}`} href={action}>
        {title}…
      </a>
    );
  const question = operation.asks?.(thing);
  const button = (
    <ButtonForm action={action} look={look} isWhole={operation.isShownOnce === true}>
      {title}
    </ButtonForm>
  );
  if (!question) return button;
  const dialog = `ask-${name}`;
  return (
    <>
      <Opener dialog={dialog} look={look}>
        {title}…
      </Opener>
      <Dialog id={dialog} title={question.title} answer={button}>
        {question.text}
      </Dialog>
    </>
  );
}

interface ButtonProps<Thing> {
  readonly thing: Thing;
  readonly asked: AdminRequest;
  readonly name: string;
  readonly operation: AdminOperation<Thing>;
}

function Facts({ rows }: { readonly rows: readonly FactRow[] }): VNode {
  return (
    <dl class="facts stack">
      {rows
        .filter(([, value]) => value !== null && value !== undefined && value !== false && value !== '')
        .map(([name, value]) => (
          <div>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

export function Section({ id, title, isLandmark = true, children }: SectionProps): VNode {
  return (
    <section aria-labelledby={isLandmark ? id : undefined}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

interface SectionProps {
  readonly id: string;
  readonly title: string;
  /** False if the section contains a region of the same name. */
  readonly isLandmark?: boolean;
  readonly children: ComponentChildren;
}

/** A text of several lines, unchanged, in a box that scrolls. */
export function Code({ label, text }: { readonly label: string; readonly text: string }): VNode {
  return (
    <pre class="code" role="region" aria-label={label} tabIndex={0}>
      {text}
    </pre>
  );
}
