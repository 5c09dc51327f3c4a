import { type VNode } from 'preact';
import { type Unmet } from '../../actions/requirement.js';
import { useNamed } from '../parts/sayings.js';
import { isOpenItem, itemsOfStage } from './checklist-part.js';
import { isMissing, isOwnDecision, NEXT, wantedApprovals } from './next-action.js';
import { editPath, placeOfTask, type TaskPageView } from './task-view.js';

/** Why an action is not possible, each leading to the place where it is met. */
export function Reasons({ view, unmet }: ReasonsProps): VNode {
  return (
    <ul>
      {unmet.map((reason) => (
        <li>
          <Reason view={view} reason={reason} />
        </li>
      ))}
    </ul>
  );
}

interface ReasonsProps {
  readonly view: TaskPageView;
  readonly unmet: readonly Unmet[];
}

function Reason({ view, reason }: { readonly view: TaskPageView; readonly reason: Unmet }): VNode {
  const text = useNamed()(reason.message);
  const property = view.scope.workflow.schema.byName.get(reason.about ?? '');
  if (reason.isOfChecklist) return <ChecklistReason view={view} text={text} />;
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

function ChecklistReason({ view, text }: { readonly view: TaskPageView; readonly text: string }): VNode {
  const items = itemsOfStage(view);
  return (
    <>
      <a href="#checklist">{text}</a>{' '}
      <span class="count">
        {items.filter((item) => !isOpenItem(item)).length} of {items.length} done
      </span>
    </>
  );
}
