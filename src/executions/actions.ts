import { type ActionEntity } from '../entities/action.entity.js';
import { type Workflow } from '../workflows/workspace.js';
import { type Requirement } from './requirement.js';
import { compileRequirements } from './requirement-types.js';

/** Something that can be done with the tasks of a workflow. */
export interface Action {
  readonly id: string;
  readonly name: string;
  /** The names of the stages where it is available; none means everywhere. */
  readonly stages: readonly string[];
  /** Their ids; null means everywhere. */
  readonly stageIds: readonly number[] | null;
  readonly requirements: readonly Requirement[];
  /** Whether the checklist is among them, which takes a look at more than the task. */
  readonly asksForChecklist: boolean;
  readonly steps: readonly unknown[];
}

/** The actions of a workflow in the order of its definition, compiled once. */
export function actionsOf(workflow: Workflow): readonly Action[] {
  const known = compiled.get(workflow.actions) ?? workflow.actions.map((action) => compile(workflow, action));
  compiled.set(workflow.actions, known);
  return known;
}

const compiled = new WeakMap<Workflow['actions'], readonly Action[]>();

function compile({ schema }: Workflow, { id, name, stages, requirements, steps }: ActionEntity): Action {
  const known = schema.stages.all.filter((stage) => stages.includes(stage.name));
  const stageIds = stages.length === 0 ? null : known.map((stage) => stage.id);
  const asksForChecklist = requirements.checklist === 'completed';
  return {
    id,
    name,
    stages,
    stageIds,
    requirements: compileRequirements(requirements),
    asksForChecklist,
    steps,
  };
}
