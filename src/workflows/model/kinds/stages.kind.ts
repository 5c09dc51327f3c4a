import { type EntityManager } from 'typeorm';
import { type ChangedDefinition, renamesOf } from '../changed-definition.js';
import { type Effect, effectOf } from '../effect.js';
import { StageEntity } from '../entities/stage.entity.js';
import { checkName, initialStage } from '../check/kit.js';
import { kind } from '../kind.js';
import { tableOf } from '../stored-rows.js';
import { listSetting } from '../schema-parts.js';
import { stage } from '../stage-definition.js';

export const stages = kind({
  name: 'stage',
  list: 'stages',
  of: 'workflow',
  key: ['name'],
  schema: listSetting(stage, {
    title: 'Stages',
    description: 'The stages, in order. New tasks enter the stage with `initial: true`, or else the first.',
    maxItems: 200,
  }),
  rows: tableOf({
    entity: StageEntity,
    columns: {
      name: 'name',
      initial: 'isInitial',
      end: 'isEnd',
      outcome: { in: 'outcome', absent: 'done' },
      enter: 'enter',
    },
    others: 'settings',
  }),
  check(one, { workflow }, report) {
    checkName(one.name, report.at(one, 'name'));
    if (one.outcome && !one.end) report(one, 'outcome', 'is for end stages only: add end: true');
    if (one.initial && initialStage(workflow.stages) !== one)
      report(one, 'initial', 'is already set on another stage');
  },
  effects: effectsOnInitial,
});

/** Notes that the initial stage changes. Names the changed element: the workflow or one of the two stages. */
function effectsOnInitial(
  _: EntityManager,
  { stored, merged, changes, renames }: ChangedDefinition,
): Effect[] {
  return merged.workflows.flatMap(({ id, stages: wanted }) => {
    const former = initialStage(stored?.workflows.find((workflow) => workflow.id === id)?.stages ?? [])?.name;
    const now = initialStage(wanted)?.name;
    if (former === undefined || now === undefined) return [];
    const before = renamesOf(renames.workflows.get(id), 'stage').get(former) ?? former;
    const names = [id, `${id} / ${now}`, `${id} / ${before}`];
    const place = changes.find(
      ({ what, name }) => ['workflow', 'stage'].includes(what) && names.includes(name),
    );
    if (before === now || !place) return [];
    return effectOf('notes', place.what, place.name, 1, `initial stage ${before} → ${now}`);
  });
}
