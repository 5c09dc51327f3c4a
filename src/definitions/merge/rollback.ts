import {
  type ChecklistItemDefinition,
  type WorkflowDefinition,
  type WorkspaceDefinition,
} from '../../workspace/definition.js';
import { emailNow, nameNow, type RecordedChanges, renamedBy } from '../../workspace/names-since.js';

/** A definition in the history. Older versions were recorded before these lists existed. */
interface RecordedDefinition
  extends
    Omit<WorkspaceDefinition, 'webhooks' | 'channels' | 'calendars' | 'views' | 'workflows'>,
    Partial<Pick<WorkspaceDefinition, 'webhooks' | 'channels' | 'calendars' | 'views'>> {
  readonly workflows: readonly RecordedWorkflow[];
}

type RecordedWorkflow = Omit<WorkflowDefinition, 'rules' | 'clocks' | 'schedules'> &
  Partial<Pick<WorkflowDefinition, 'rules' | 'clocks' | 'schedules'>>;

/**
 * A former definition as a file that restores it. Renames since then are reversed by `was:`, so that tasks keep their
 * values. `since` holds the changes of each later version, oldest first.
 */
export function rollbackDefinition(
  former: RecordedDefinition,
  since: readonly RecordedChanges[],
): WorkspaceDefinition {
  return {
    ...former,
    webhooks: former.webhooks ?? [],
    channels: former.channels ?? [],
    calendars: former.calendars ?? [],
    views: former.views ?? [],
    users: former.users.map((user) => marked(user, user.email, emailNow(user.email, since))),
    workflows: former.workflows.map((workflow) => {
      const now = (what: string, name: string): string | undefined => nameNow(what, workflow.id, name, since);
      return {
        ...workflow,
        rules: workflow.rules ?? [],
        clocks: workflow.clocks ?? [],
        schedules: workflow.schedules ?? [],
        stages: workflow.stages.map((stage) => marked(stage, stage.name, now('stage', stage.name))),
        fields: workflow.fields.map((field) => marked(field, field.name, now('field', field.name))),
        actions: workflow.actions.map((action) => marked(action, action.id, now('action', action.id))),
        checklist: workflow.checklist.map((item) =>
          marked(item, item.title, titleNow(item, workflow.id, since)),
        ),
      };
    }),
  };
}

/** The stages removed since, such as `claims / Review`. Their tasks were moved, and are not moved back. */
export function stagesRemovedSince(
  { workflows }: Pick<RecordedDefinition, 'workflows'>,
  since: readonly RecordedChanges[],
): string[] {
  return workflows.flatMap(({ id, stages }) =>
    stages
      .filter(({ name }) => nameNow('stage', id, name, since) === undefined)
      .map(({ name }) => `${id} / ${name}`),
  );
}

function marked<T extends object>(element: T, name: string, now: string | undefined): T & { was?: string } {
  return now === undefined || now === name ? element : { ...element, was: now };
}

/** The present title of a checklist item. Its stage is part of its identity, so the stage is renamed first. */
function titleNow(
  { stage, title }: ChecklistItemDefinition,
  workflow: string,
  since: readonly RecordedChanges[],
): string | undefined {
  let now: { readonly stage: string; readonly title: string } | undefined = { stage, title };
  for (const changes of since) {
    const stageNow: string =
      renamedBy(changes, 'stage', `${workflow} / ${now.stage}`, now.stage) ?? now.stage;
    const titled = renamedBy(
      changes,
      'checklist item',
      `${workflow} / ${stageNow} / ${now.title}`,
      now.title,
    );
    if (titled === undefined) return undefined;
    now = { stage: stageNow, title: titled };
  }
  return now.title;
}
