import { plural } from '../../common/plural.js';
import { type VNode } from 'preact';
import { type Property } from '../../workflows/fields/property.js';
import { titleProperty } from '../../tasks/store/task-title.js';
import { FieldRow, isBlankField, isRequiredField } from './field-part.js';
import { Files } from './files-part.js';
import { isMissing } from './next-action.js';
import { shownFields, type TaskPageView } from './task-view.js';

/** The fields of a task: those that hold something or must, and on demand those that are empty. */
export function Fields({ view }: { readonly view: TaskPageView }): VNode {
  const { entry, scope } = view;
  const { schema } = scope.workflow;
  const named = titleProperty(schema.properties);
  const own = shownFields(schema);
  const ordered = named && own.includes(named) ? [named, ...own.filter((one) => one !== named)] : own;
  // Files are dropped on a field that is in sight.
  const isEmpty = (property: Property): boolean =>
    !property.files &&
    isBlankField(property, view) &&
    !isRequiredField(schema, property) &&
    !isMissing(view, property);
  const empty = ordered.filter(isEmpty);
  const isFolded = empty.length >= LEAST_FOLDED;
  return (
    <section aria-labelledby="fields">
      <h2 id="fields">Details</h2>
      <Rows view={view} properties={isFolded ? ordered.filter((one) => !isEmpty(one)) : ordered} />
      {isFolded && (
        <details class="stack" id="empty-fields" open={empty.some(({ name }) => name === entry?.name)}>
          <summary>{plural(empty.length, 'empty field')}</summary>
          <Rows view={view} properties={empty} />
        </details>
      )}
    </section>
  );
}

/** Fewer take no more room than the words for them. */
const LEAST_FOLDED = 3;

function Rows({ view, properties }: RowsProps): VNode {
  return (
    <div class="fields">
      {properties.map((property) =>
        property.files ? (
          <Files view={view} property={property} />
        ) : (
          <FieldRow view={view} property={property} />
        ),
      )}
    </div>
  );
}

interface RowsProps {
  readonly view: TaskPageView;
  readonly properties: readonly Property[];
}
