import { type VNode } from 'preact';
import { ConsolePage } from '../layout.js';
import { ButtonForm, Form, Hidden } from '../parts/form.js';
import { Empty } from '../parts/empty.js';
import { Icon } from '../parts/icon.js';
import { refusalOf } from '../parts/notices.js';
import { type SignedIn } from '../reader.js';
import { ViewName } from './view-tools.js';
import { type View, viewPath } from './views.js';

/** The views of the reader, to be looked at, renamed and deleted. */
export function ViewsPage({ to, draft, fault }: ViewsProps): VNode {
  const { views: words } = to.words.lists;
  const own = to.views.filter(({ isOwn }) => isOwn);
  const shared = to.views.filter(({ isOwn }) => !isOwn);
  return (
    <ConsolePage to={to} title={words.title} notice={refusalOf(fault === undefined ? [] : [{ text: fault }])}>
      <header class="page-head stack gap-1">
        <h1>{words.title}</h1>
      </header>
      {draft && (
        <Form action="/views" class="view-draft form-line">
          <Hidden fields={{ workflow: draft.workflow, as: draft.as, query: draft.query }} />
          <ViewName to={to} name={draft.name} />
          <button type="submit">{words.save}</button>
        </Form>
      )}
      {own.length === 0 && shared.length === 0 && (
        <Empty icon="star" title={words.none}>
          {words.noneMore}
        </Empty>
      )}
      {own.length > 0 && (
        <section aria-labelledby="own-views">
          <h2 id="own-views">{words.own}</h2>
          <ul class="rows views">
            {own.map((view) => (
              <li>
                {linkOf(to, view)}
                <details class="menu" name="menu">
                  <summary class="button quiet" aria-label={words.renameOf(view.name)}>
                    {words.rename}
                  </summary>
                  <Form action={`/views/${view.id}/rename`} class="panel">
                    <ViewName to={to} name={view.name} />
                    <button type="submit">{to.words.save}</button>
                  </Form>
                </details>
                <ButtonForm
                  action={`/views/${view.id}/delete`}
                  look="quiet"
                  label={words.removeOf(view.name)}
                >
                  {to.words.deletion.button}
                </ButtonForm>
              </li>
            ))}
          </ul>
        </section>
      )}
      {shared.length > 0 && (
        <section aria-labelledby="shared-views">
          <h2 id="shared-views">{words.shared}</h2>
          <p class="muted">{words.sharedMore}</p>
          <ul class="rows views">
            {shared.map((view) => (
              <li>{linkOf(to, view)}</li>
            ))}
          </ul>
        </section>
      )}
    </ConsolePage>
  );
}

interface ViewsProps {
  readonly to: SignedIn;
  /** What was to be saved, and was not. */
  readonly draft?: ViewDraft | undefined;
  readonly fault?: string | undefined;
}

/** A view as a form sends it. */
export interface ViewDraft extends Pick<View, 'as' | 'query' | 'name'> {
  readonly workflow: string;
}

function linkOf({ words }: SignedIn, { id, name, as, workflow }: View): VNode {
  return (
    <a class="row" href={viewPath(id)}>
      <Icon name={as} />
      <span class="row-title">{name}</span>
      <span class="muted">{words.lists.views.in(workflow.name)}</span>
    </a>
  );
}
