import { type VNode } from 'preact';
import { eventTypes, webhookContents } from '../../entities/column-values.js';
import { type Reply } from '../../lib/reply.js';
import { pageReply } from '../page.js';
import { Hidden } from '../parts/form.js';
import { AdminFormPage, ChoiceControl, ChoicesControl, type Filled, FormControl } from './admin-form.js';
import { type Administrator } from './admin-pages.js';
import { webhookPath, WEBHOOKS_PATH } from './webhooks-page.js';

interface WebhookFormProps {
  readonly to: Administrator;
  readonly form: Filled;
  /** The id of the one that is edited; undefined where it is to be added. */
  readonly id: string | undefined;
}

/** Answers with the form. */
export function webhookFormReply(to: Administrator, form: Filled, id?: string): Reply {
  const status = form.faults.length > 0 ? 422 : 200;
  return pageReply(<WebhookFormPage to={to} form={form} id={id} />, { status });
}

/** Asks all that a webhook says. */
function WebhookFormPage({ to, form, id }: WebhookFormProps): VNode {
  const { webhooks, webhook: words } = to.words.admin;
  const isNew = id === undefined;
  const path = isNew ? WEBHOOKS_PATH : webhookPath({ id });
  const view = {
    to,
    form,
    above: { href: WEBHOOKS_PATH, name: webhooks },
    back: path,
    title: isNew ? words.add : words.editTitle(id),
    lead: words.addLead,
    action: isNew ? path : `${path}/edit`,
    button: isNew ? words.add : words.save,
  };
  const every = { to, form };
  const text = (name: string): string => form.values.get(name) ?? '';
  return (
    <AdminFormPage view={view}>
      {isNew && <Hidden fields={{ once: text('once') }} />}
      <FormControl
        {...every}
        name="url"
        label={words.url}
        hint={words.urlHint}
        isRequired
        control={(more) => <input {...more} inputMode="url" value={text('url')} maxLength={2048} autofocus />}
      />
      {isNew && (
        <FormControl
          {...every}
          name="id"
          label={words.id}
          hint={words.idHint}
          control={(more) => <input {...more} value={text('id')} maxLength={64} autocomplete="off" />}
        />
      )}
      <ChoicesControl
        {...every}
        name="events"
        label={words.events}
        isRequired
        options={eventTypes.map((type) => [type, <code>{type}</code>])}
      />
      <ChoicesControl
        {...every}
        name="workflows"
        label={words.workflows}
        hint={words.workflowsHint}
        options={to.workflows.map(({ slug, name }) => [slug, name])}
      />
      <ChoiceControl
        {...every}
        name="include"
        label={words.include}
        options={webhookContents.map((content) => [content, words.includes[content] ?? content])}
      />
      <Lines {...every} name="fields" label={words.fields} hint={words.fieldsHint} />
      <Lines {...every} name="when" label={words.when} hint={words.whenHint} />
      <Lines {...every} name="headers" label={words.headers} hint={words.headersHint} />
    </AdminFormPage>
  );
}

function Lines({ form, name, ...more }: LinesProps): VNode {
  return (
    <FormControl
      {...more}
      form={form}
      name={name}
      control={(attributes) => (
        <textarea {...attributes} class="code" rows={2} spellcheck={false}>
          {`\n${form.values.get(name) ?? ''}`}
        </textarea>
      )}
    />
  );
}

interface LinesProps {
  readonly to: Administrator;
  readonly form: Filled;
  readonly name: string;
  readonly label: string;
  readonly hint: string;
}
