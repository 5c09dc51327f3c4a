import { hash } from 'node:crypto';
import { type ComponentChildren, type VNode } from 'preact';
import { type FormField } from '../../actions/asks/form-fields.js';
import { type Message } from '../../common/message.js';
import { type AskedField, type Output } from '../../workflows/fields/field-type.js';
import { type Workflow } from '../../workflows/model/workspace.js';
import { PlainControl, sentValue, type WayOfWriting } from '../parts/control.js';
import { Form, Hidden } from '../parts/form.js';
import { Labelled, PageNoticeProvider } from '../parts/labelled.js';
import { formNotice, type Notice, Notices } from '../parts/notices.js';
import { said } from '../parts/sayings.js';
import { useAnybody } from '../reader.js';

/** A field of a form as its page asks for it. */
export interface Question {
  readonly name: string;
  readonly ask: AskedField;
  readonly isRequired: boolean;
}

/** The fields that a form asks for, as far as the workflow has them. */
export function questionsOf({ schema }: Workflow, asked: readonly FormField[]): Question[] {
  return asked.flatMap(({ field: name, required = false }) => {
    const property = schema.byName.get(name);
    const isRequired = required || schema.required.has(property?.fieldId ?? '');
    return property?.view ? [{ name, ask: property.view.ask, isRequired }] : [];
  });
}

/** What a form, or an address, says of these questions: of boxes that are not ticked a form says nothing. */
export function enteredIn(
  sent: URLSearchParams,
  questions: readonly Question[],
  way: WayOfWriting,
): ReadonlyMap<string, Output> {
  const said = questions.filter(({ name, ask }) => ask.by !== 'files' && (sent.has(name) || isOfBoxes(ask)));
  return new Map(said.map(({ name, ask }) => [name, sentValue(ask, sent.getAll(name), way)]));
}

const isOfBoxes = ({ by }: AskedField): boolean => by === 'tick' || by === 'options';

/** The controls by which a form names its page, and by which robots are told from people. */
export const MARK = '_page';
export const TRAP = '_website';

/** A form for somebody outside, with what they entered and what is wrong with it. */
export function FormPage({ title, path, mark, questions, entered, way, refusal }: FormPageProps): VNode {
  const controls = questions.map((question, at) => ({
    ...question,
    id: `field-${at}`,
    label: question.name,
    messages: refusal?.get(question.name) ?? [],
  }));
  const whole = refusal?.get('base') ?? [];
  const lines = whole.length > 0 ? whole : ['Please correct the marked fields.'];
  const hasFiles = questions.some(({ ask }) => ask.by === 'files');
  return (
    <PublicPage title={title} notice={refusal && formNotice(controls, lines.map(said))}>
      <Form action={path} {...(hasFiles && { enctype: 'multipart/form-data' as const })}>
        <Hidden fields={{ [MARK]: mark }} />
        <div class="trap" aria-hidden="true">
          <label for="website">Leave this empty</label>
          <input id="website" name={TRAP} tabIndex={-1} autocomplete="off" />
        </div>
        {controls.map(({ name, ask, ...control }) => (
          <Labelled
            {...control}
            hint={hintOf(ask, way, refusal !== undefined)}
            isGroup={ask.by === 'options'}
            control={(attributes) => (
              <PlainControl
                {...attributes}
                ask={ask}
                value={entered.get(name) ?? null}
                name={name}
                way={way}
                autofocus={false}
              />
            )}
          />
        ))}
        <button type="submit">Send</button>
      </Form>
    </PublicPage>
  );
}

interface FormPageProps {
  readonly title: string;
  /** To which it is sent. */
  readonly path: string;
  readonly mark: string;
  readonly questions: readonly Question[];
  readonly entered: ReadonlyMap<string, Output>;
  readonly way: WayOfWriting;
  /** What is wrong, by field. */
  readonly refusal?: ReadonlyMap<string, readonly Message[]> | undefined;
}

function hintOf(ask: AskedField, { timeZone }: WayOfWriting, isAgain: boolean): string | undefined {
  if (ask.by === 'instant') return `In the time of ${timeZone}.`;
  return ask.by === 'files' && isAgain ? 'Choose the files again.' : undefined;
}

/** That a form has come, with the reference by which its sender may ask for it. */
export function SentPage({
  title,
  reference,
}: {
  readonly title: string;
  readonly reference?: string;
}): VNode {
  return (
    <PublicPage title={`${title}: received`}>
      <p>Thank you. We have received what you sent.</p>
      {reference !== undefined && (
        <p>
          Your reference: <strong>{reference}</strong>
        </p>
      )}
    </PublicPage>
  );
}

/** A page for people outside: it needs no script, no cookie and no other file. */
export function PublicPage({ title, notice, children }: PublicPageProps): VNode {
  return (
    <html lang={useAnybody().locale}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>{notice ? `Error: ${title}` : title}</title>
        <style dangerouslySetInnerHTML={{ __html: styles }} />
      </head>
      <body>
        <main>
          <h1>{title}</h1>
          <Notices notice={notice} />
          <PageNoticeProvider value={notice}>{children}</PageNoticeProvider>
        </main>
      </body>
    </html>
  );
}

interface PublicPageProps {
  readonly title: string;
  readonly notice?: Notice | undefined;
  readonly children: ComponentChildren;
}

const styles = `
:root{color-scheme:light dark;--line:light-dark(#767676,#8d8d8d);--bad:light-dark(#b3261e,#ff9592);--accent:light-dark(#4a46ad,#625dce)}
*{box-sizing:border-box}
body{margin:0;font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
main{max-width:36rem;margin:0 auto;padding:1.5rem 1rem 3rem}
h1{font-size:1.5rem;line-height:1.25;margin:0 0 1rem}
p{margin:.25rem 0}
.control{margin:0 0 1.25rem}
.control>label{display:block;font-weight:600}
.muted{font-size:.875rem}
input:not([type=checkbox]),select,textarea{width:100%;padding:.625rem;font:inherit;border:1px solid var(--line);border-radius:.375rem}
.tick{display:flex;gap:.5rem;align-items:center;min-height:2.75rem;font-weight:400}
.tick input{width:1.25rem;height:1.25rem}
fieldset{border:0;margin:0;padding:0}
[aria-invalid]{border-color:var(--bad)}
.fault,.notice.bad,.notice.bad a,.required{color:var(--bad)}
.notice{border:1px solid;border-radius:.375rem;padding:.75rem;margin:0 0 1.25rem}
.notice ul{margin:.25rem 0 0;padding-left:1.25rem}
.icon{width:1em;height:1em;vertical-align:-.125em;margin-right:.375em;fill:none;stroke:currentColor;stroke-width:1.5}
button{width:100%;min-height:2.75rem;font:inherit;font-weight:600;color:#fff;background:var(--accent);border:0;border-radius:.375rem;cursor:pointer}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.trap,.visually-hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
`;

/** The policy of such a page, which only these sites may show in a frame. */
export const publicPolicy = (sites: readonly string[] = []): string =>
  [
    "default-src 'none'",
    `style-src 'sha256-${hash('sha256', styles, 'base64')}'`,
    "form-action 'self'",
    "base-uri 'none'",
    `frame-ancestors ${sites.length > 0 ? sites.join(' ') : "'none'"}`,
  ].join('; ');
