import Type from 'typebox';
import { workspace } from '../../model/definition.js';
import { notificationDefaults } from '../../model/notification-definition.js';
import { schemasOf } from '../../model/kind.js';
import { closedMapping } from '../../model/schema-parts.js';
import { workspaceKinds } from '../kinds.js';

const lists = workspaceKinds.map(({ list }) => list);

/**
 * The schema of the document that people write. The types, the reader, the JSON Schema and the reference page
 * derive from it.
 */
export const definitionSchema = Type.Object(
  {
    workspace,
    ...schemasOf(workspaceKinds),
    notifications: Type.Optional(notificationDefaults),
  },
  {
    ...closedMapping,
    title: 'Workspace definition',
    description: `The definition of a workspace: its ${lists.join(', ')} and notifications. People see names; paths use ids. Applying merges by identity: elements that the document does not name stay unchanged.`,
  },
);
