import { type VNode } from 'preact';
import { askedOf, type FilterProps } from '../board/addresses.js';
import { ButtonForm, Form, Hidden } from '../parts/form.js';
import { Icon } from '../parts/icon.js';
import { type SignedIn } from '../reader.js';
import { viewHere } from './fitting-query.js';

/** Keeps what a page shows under a name, or as what a view shows from now on. */
export function ViewTools({ to, workflow, filters, at }: FilterProps): VNode | null {
  const { views: words } = to.words.lists;
  const query = askedOf(filters).toString();
  const view = viewHere(to, workflow);
  if (query === '' || (view && view.query === query && view.as === at)) return null;
  const fields = { workflow: workflow.slug, as: at, query };
  return (
    <>
      {view?.isOwn && (
        <ButtonForm action={`/views/${view.id}/update`} look="quiet" fields={fields}>
          <Icon name="star" /> {words.update(view.name)}
        </ButtonForm>
      )}
      <details class="menu" name="menu">
        <summary class="button quiet">
          <Icon name="star" /> {view ? words.saveAs : words.save}
        </summary>
        <Form action="/views" class="panel">
          <Hidden fields={fields} />
          <ViewName to={to} />
          <button type="submit">{to.words.save}</button>
        </Form>
      </details>
    </>
  );
}

/** The control for the name of a view. */
export function ViewName({ to, name = '' }: { readonly to: SignedIn; readonly name?: string }): VNode {
  return (
    <label>
      <span>{to.words.lists.views.name}</span>
      <input type="text" name="name" value={name} required maxLength={100} autocomplete="off" />
    </label>
  );
}
