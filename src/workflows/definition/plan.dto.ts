import { messagesByName } from '../../common/ops/problem.js';
import { type VersionHead } from './store/history.js';
import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { Effect, refusalsOf } from '../model/effect.js';
import { Change, NamedElement } from '../model/changed-definition.js';
import { Fault } from './source/faults.js';

@ApiSchema({ name: 'DefinitionPlan' })
export class ShownPlan {
  @ApiProperty({ description: 'The id of the workspace.' })
  readonly workspace!: string;

  /** For a new workspace, the version is 0. */
  @ApiProperty({ type: 'integer', description: 'The version that is in force.' })
  readonly version!: number;

  @ApiProperty({ type: () => [Change] })
  readonly changes!: readonly Change[];

  @ApiProperty({ type: () => [Effect] })
  readonly effects!: readonly Effect[];

  @ApiProperty({
    type: () => [NamedElement],
    description: 'The elements that pruning would remove, and the users that pruning would deactivate.',
  })
  readonly kept!: readonly NamedElement[];

  @ApiProperty({ type: [String], description: 'The reasons why an apply would refuse the definition.' })
  readonly refusals!: readonly string[];
}

export type Plan = Omit<ShownPlan, 'refusals'>;

@ApiSchema({ name: 'DefinitionVersion' })
export class ShownVersion {
  @ApiProperty({ type: 'integer', description: 'The number of the version.' })
  readonly version!: number;

  @ApiProperty({ format: 'date-time', description: 'When the version came into force.' })
  readonly applied_at!: string;

  @ApiProperty({ description: 'Who applied the version.' })
  readonly applied_by!: string;

  @ApiProperty({ type: () => [Change] })
  readonly changes!: readonly Change[];
}

@ApiSchema({
  description: 'Has `faults` for an invalid document, and `plan` if an apply would lose data or is blocked.',
})
export class RefusedDefinition {
  @ApiProperty(messagesByName)
  readonly errors!: Readonly<Record<string, readonly string[]>>;

  @ApiPropertyOptional({ type: () => [Fault] })
  readonly faults?: readonly Fault[];

  @ApiPropertyOptional({ type: () => ShownPlan })
  readonly plan?: ShownPlan;
}

export function showPlan(plan: Plan, allowsDataLoss: boolean): ShownPlan {
  const { workspace, version, changes, effects, kept } = plan;
  const refusals = refusalsOf(effects, allowsDataLoss);
  return { workspace, version, changes, effects, kept, refusals };
}

export function shownVersion({ version, appliedAt, appliedBy, changes }: VersionHead): ShownVersion {
  return { version, applied_at: appliedAt.toISOString(), applied_by: appliedBy, changes };
}
