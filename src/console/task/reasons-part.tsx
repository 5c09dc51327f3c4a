import { type VNode } from 'preact';
import { type Unmet } from '../../actions/requirement.js';
import { useNamed } from '../parts/sayings.js';
import { isOpenItem, itemsOfStage } from './checklist-part.js';
import { isMissing, isOwnDecision, NEXT, wantedApprovals } from './next-action.js';
import { editPath, placeOfTask, useTask } from './task-view.js';

/** Why an action is not possible, each leading to the place where it is met. */
export function Reasons({ unmet }: { readonly unmet: readonly Unmet[] }): VNode {
  return (
    <ul>
      {unmet.map((reason) => (
        <li>
          <Reason reason={reason} />
        </li>
      ))}
    </ul>
  );
}

function Reason({ reason }: { readonly reason: Unmet }): VNode {
  const view = useTask();
  const text = useNamed()(reason.message);
  const property = view.scope.workflow.schema.byName.get(reason.about ?? '');
  if (reason.isOfChecklist) return <ChecklistReason text={text} />;
  if (reason.isOfApprovals)
    return <a href={wantedApprovals(view).every(isOwnDecision) ? `#${NEXT}` : '#approvals'}>Approvals are missing</a>; // prettier-ignore
  if (!property) return <span>{text}</span>;
  const place = placeOfTask(property);
  if (property.files) return <a href={`#${place}-file`}>{text}</a>;
  if (property.links) return <a href={`#${place}`}>{text}</a>;
  if (isMissing(view, property)) return <a href={`#${place}-value`}>{text}</a>;
  return (
    <a href={editPath(view, property)} data-turbo-frame={place}>
      {text}
    </a>
  );
}

function ChecklistReason({ text }: { readonly text: string }): VNode {
  const items = itemsOfStage(useTask());
  return (
    <>
      <a href="#checklist">{text}</a>{' '}
      <span class="count">
        {items.filter((item) => !isOpenItem(item)).length} of {items.length} done
      </span>
    </>
  );
}
