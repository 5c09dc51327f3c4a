import { type VersionHead } from './store/history.js';
import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { type Plan } from './plan-definition.js';
import { type Effect, refusalsOf } from '../model/effect.js';
import { type Change } from '../model/changed-definition.js';
import { type Fault } from './source/faults.js';
import { circlesIn } from '../model/rule-links.js';

const anyObject = { type: 'object', additionalProperties: true } as const;

@ApiSchema({ name: 'DefinitionFault' })
class ShownFault implements Fault {
  @ApiProperty({ description: 'Such as `workflows[0].fields[3].type`; empty for the whole document.' })
  readonly path!: string;

  @ApiPropertyOptional({
    type: 'integer',
    description: 'The line in the body; absent if the fault is not in the body.',
  })
  readonly line?: number;

  @ApiProperty({ description: 'A text that continues the path.' })
  readonly message!: string;
}

@ApiSchema({ name: 'DefinitionElement' })
class ShownElement implements Pick<Change, 'what' | 'name'> {
  @ApiProperty({ description: 'The kind of element, such as `field`.' })
  readonly what!: string;

  @ApiProperty({ description: 'Its name, such as `vendors / Tier`.' })
  readonly name!: string;
}

@ApiSchema({ name: 'DefinitionChange' })
class ShownChange extends ShownElement implements Change {
  @ApiProperty({
    enum: ['add', 'rename', 'change', 'remove'],
    description: 'What happens to the element.',
  })
  readonly kind!: Change['kind'];

  @ApiPropertyOptional({ description: 'Further details.' })
  readonly detail?: string;

  @ApiPropertyOptional({
    type: 'array',
    items: {
      ...anyObject,
      description:
        'A difference within the element: `at`, `before`, `after`, and `relaxes` if it lets somebody do more or needs less.',
    },
  })
  readonly alterations?: NonNullable<Change['alterations']>;

  @ApiPropertyOptional({ type: Boolean, description: 'True if somebody may do more, or less is needed.' })
  readonly relaxes?: true;
}

@ApiSchema({ name: 'DefinitionEffect' })
class ShownEffect extends ShownElement implements Effect {
  @ApiProperty({
    enum: ['notes', 'loses', 'blocked'],
    description: 'loses: refused without `allow-data-loss`; blocked: needs another document.',
  })
  readonly kind!: Effect['kind'];

  @ApiProperty({ type: 'integer', description: 'The number with which the message begins.' })
  readonly count!: number;

  @ApiProperty({ description: 'Such as `3 values do not fit the type number`.' })
  readonly message!: string;

  @ApiProperty({
    type: 'array',
    items: { ...anyObject, description: 'Some tasks: `id`, `value`, `reason`.' },
  })
  readonly examples!: Effect['examples'];
}

@ApiSchema({ name: 'DefinitionPlan' })
export class ShownPlan implements Plan {
  @ApiProperty({ description: 'Its id.' })
  readonly workspace!: string;

  @ApiProperty({ type: 'integer', description: 'The version that is in force.' })
  readonly version!: number;

  @ApiProperty({ type: () => [ShownChange] })
  readonly changes!: readonly ShownChange[];

  @ApiProperty({ type: () => [ShownEffect] })
  readonly effects!: readonly ShownEffect[];

  @ApiProperty({ type: () => [ShownElement], description: 'What pruning would remove.' })
  readonly kept!: readonly ShownElement[];

  @ApiProperty({
    type: 'array',
    items: { ...anyObject, description: 'If rules change: a rule that can start another.' },
  })
  readonly rules!: Plan['rules'];

  @ApiProperty({
    type: 'array',
    items: { type: 'array', items: { type: 'string' } },
    description: 'Circles of rules that can start each other.',
  })
  readonly circles!: readonly (readonly string[])[];

  @ApiProperty({ type: () => [ShownFault], description: 'Likely mistakes, which do not prevent an apply.' })
  readonly warnings!: readonly ShownFault[];

  @ApiProperty({ type: [String], description: 'The reasons why apply would refuse it.' })
  readonly refusals!: readonly string[];
}

@ApiSchema({ name: 'DefinitionVersion' })
export class ShownVersion {
  @ApiProperty({ type: 'integer', description: 'Its number.' })
  readonly version!: number;

  @ApiProperty({ format: 'date-time', description: 'When it came into force.' })
  readonly applied_at!: string;

  @ApiProperty({ description: 'Who applied it.' })
  readonly applied_by!: string;

  @ApiProperty({ type: () => [ShownChange] })
  readonly changes!: readonly ShownChange[];
}

@ApiSchema({
  description: 'With `faults` if the document is wrong, with `plan` if applying it would lose something.',
})
export class RefusedDefinition {
  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'array', items: { type: 'string' } },
  })
  readonly errors!: Readonly<Record<string, readonly string[]>>;

  @ApiPropertyOptional({ type: () => [ShownFault] })
  readonly faults?: readonly ShownFault[];

  @ApiPropertyOptional({ type: () => ShownPlan })
  readonly plan?: ShownPlan;
}

export function showPlan(plan: Plan, allowsDataLoss: boolean): ShownPlan {
  const { workspace, version, changes, effects, kept, rules, warnings } = plan;
  const refusals = refusalsOf(effects, allowsDataLoss);
  return { workspace, version, changes, effects, kept, rules, circles: circlesIn(rules), warnings, refusals };
}

export function shownVersion({ version, appliedAt, appliedBy, changes }: VersionHead): ShownVersion {
  return { version, applied_at: appliedAt.toISOString(), applied_by: appliedBy, changes };
}
