import { weaker, whenLater } from '../fields/weaker.js';
import Type, { type Static } from 'typebox';
import { type Link, relationshipKinds } from '../fields/task-schema.js';
import { refers } from './marks.js';
import { closedMapping, idText, nameText, wayOfChange } from './schema-parts.js';

const relationshipEnd = (title: string, description: string) =>
  Type.Object(
    {
      workflow: Type.String({
        ...refers('workflow'),
        title: 'Workflow',
        description: 'The id of a workflow whose Unique ID is required or autoincrement.',
      }),
      name: nameText({ title: 'Name', description: "The key in the JSON of this workflow's tasks." }),
      change: wayOfChange(
        'A payload may repeat the links. A link belongs to both sides: setting this on one side is enough.',
      ),
    },
    { ...closedMapping, title, description },
  );

export const relationship = Type.Object(
  {
    id: idText({
      title: 'Id of the relationship',
      description: 'Identifies the relationship in the workspace.',
    }),
    kind: Type.Enum([...relationshipKinds], {
      ...weaker(whenLater(...relationshipKinds)),
      title: 'Kind',
      description: 'Read from `from` to `to`: in one_to_many, one task of `from` has many tasks of `to`.',
    }),
    from: relationshipEnd(
      'From',
      'The first end of the relationship: a workflow, and the name of a key of its tasks.',
    ),
    to: relationshipEnd(
      'To',
      'The second end of the relationship: a workflow, and the name of a key of its tasks.',
    ),
  },
  {
    ...closedMapping,
    title: 'Relationship',
    description: 'A link between tasks, which both tasks show.',
    examples: [
      {
        id: 'orders',
        kind: 'one_to_many',
        from: { workflow: 'requests', name: 'Orders' },
        to: { workflow: 'orders', name: 'Request' },
      },
    ],
  },
);

export type RelationshipDefinition = Static<typeof relationship>;

export type RelationshipEnd = Static<ReturnType<typeof relationshipEnd>>;

/** An end of a relationship, with the internal id of its workflow. */
interface FoundEnd {
  readonly name: string;
  readonly workflowId: number;
  readonly workflow: string;
}

/** One side of a relationship, and the workflow whose tasks show this side. */
export interface RelationshipSide {
  readonly workflowId: number;
  readonly link: Link;
}

export function sidesOfEnds(
  relationship: Pick<Link, 'relationshipId' | 'kind' | 'isByActions'>,
  from: FoundEnd,
  to: FoundEnd,
): RelationshipSide[] {
  const { relationshipId, kind } = relationship;
  return [true, false].map((isFrom) => {
    const [own, far] = isFrom ? [from, to] : [to, from];
    const [ofOwn, ofFar] = isFrom ? kind.split('_to_') : kind.split('_to_').toReversed();
    const link = {
      ...relationship,
      name: own.name,
      side: `${isFrom ? '>' : '<'}${relationshipId}`,
      isFrom,
      isMultiple: ofFar === 'many',
      isExclusive: ofOwn === 'one',
      otherWorkflowId: far.workflowId,
      otherWorkflow: far.workflow,
    };
    return { workflowId: own.workflowId, link };
  });
}
