import { type ComponentChildren, type VNode } from 'preact';
import { type OutsideForm, type SentPost } from '../../actions/asks/form-answers.js';
import { type InvalidFields } from '../../common/field-errors.js';
import { type Reply } from '../../common/reply.js';
import { plural } from '../../common/wording.js';
import { type AskedField, type Output } from '../../workflows/fields/field-type.js';
import { assetPath } from '../assets.js';
import { pageReply } from '../page.js';
import { type WayOfWriting } from '../parts/control.js';
import { Form, Hidden } from '../parts/form.js';
import { PageNoticeProvider, Question } from '../parts/labelled.js';
import { type NamedControl, type Notice, Notices, refusedForm } from '../parts/notices.js';
import { useAnybody } from '../reader.js';

export interface PublicQuestion extends NamedControl {
  readonly ask: AskedField;
  readonly isRequired: boolean;
  readonly hints: readonly string[];
}

/** Returns a short name of a media type, such as `PDF` or `document`. */
function kindOfFile(type: string): string {
  const [kind = type] = type.split(/[./]/).slice(-1);
  return kind.length > 4 ? kind : kind.toUpperCase();
}

/** Returns the fields that a form asks for, without those that the workflow no longer has. */
export function publicQuestions({ workflow: { schema }, fields, held }: OutsideForm): PublicQuestion[] {
  return fields.flatMap(({ field: name, required = false, types = [], max }, at) => {
    const property = schema.byName.get(name);
    const value = held?.get(name);
    const present = property?.files && Array.isArray(value) ? value.length : 0;
    // A file field that has files already may stay as it is.
    const isRequired = present === 0 && (required || schema.required.has(property?.fieldId ?? ''));
    const limits = [types.map(kindOfFile).join(', '), max && `at most ${max}`].filter(Boolean).join(', ');
    const hints = [limits, present === 0 ? '' : `Already there: ${plural(present, 'file')}`];
    const control = { id: `field-${at}`, label: name, name };
    return property?.view ? [{ ...control, ask: property.view.ask, isRequired, hints }] : [];
  });
}

export const hasFiles = (questions: readonly PublicQuestion[]): boolean =>
  questions.some(({ ask }) => ask.by === 'files');

/** The names of two controls that people do not see: one for `OutsideForm.mark`, and a trap for robots. */
export const MARK = '_page';
export const TRAP = '_website';

/** Shows a form to people without an account, with the entered values and their errors. */
export function PublicFormPage({ form, path, questions, way, entered, sent, refusal }: PublicForm): VNode {
  return (
    <PublicPage title={form.title} notice={refusal && refusedForm(questions, refusal)}>
      <Form action={path} {...(hasFiles(questions) && { enctype: 'multipart/form-data' as const })}>
        <Hidden fields={{ [MARK]: form.mark(sent?.mark) }} />
        <Trap />
        {questions.map((question) => (
          <Question
            {...question}
            hint={hintOf(question, way, sent)}
            value={entered.get(question.name) ?? null}
            way={way}
          />
        ))}
        <button type="submit">Send</button>
      </Form>
    </PublicPage>
  );
}

export interface PublicForm {
  readonly form: OutsideForm;
  readonly path: string;
  readonly questions: readonly PublicQuestion[];
  /** The time zone and the locale in which values are written. */
  readonly way: WayOfWriting;
  readonly entered: ReadonlyMap<string, Output>;
  /** The value of `_page` and the files in the sent form, if the page shows the form again. */
  readonly sent?: Pick<SentPost, 'mark' | 'files'>;
  readonly refusal?: InvalidFields['fields'];
}

/** A control that only robots fill in. */
const Trap = (): VNode => (
  <div class="trap" aria-hidden="true">
    <label for="website">Leave this empty</label>
    <input id="website" name={TRAP} tabIndex={-1} autocomplete="off" />
  </div>
);

function hintOf(question: PublicQuestion, way: WayOfWriting, sent: PublicForm['sent']): string | undefined {
  const { name, ask, hints } = question;
  if (ask.by === 'instant') return `In the time of ${way.timeZone}.`;
  const again = sent?.files.has(name) && 'Choose the files again.';
  return [...hints, again].filter(Boolean).join('. ') || undefined;
}

export function SentPage({ title, reference }: SentPageProps): VNode {
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

interface SentPageProps {
  readonly title: string;
  readonly reference: string | undefined;
}

/** A page for people without an account. It needs no script and no cookie. */
export function PublicPage({ title, notice, children }: PublicPageProps): VNode {
  return (
    <html lang={useAnybody().locale}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>{notice ? `Error: ${title}` : title}</title>
        <link rel="stylesheet" href={assetPath('public.css')} />
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

/** Returns the content security policy of a public page. Only `sites` may show the page in a frame. */
export const publicPolicy = (sites: readonly string[] = []): string =>
  [
    "default-src 'none'",
    "style-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    `frame-ancestors ${sites.length > 0 ? sites.join(' ') : "'none'"}`,
  ].join('; ');

export const publicReply = (page: VNode, status = 200, sites?: readonly string[]): Reply =>
  pageReply(page, { status, headers: { 'Content-Security-Policy': publicPolicy(sites) } });
