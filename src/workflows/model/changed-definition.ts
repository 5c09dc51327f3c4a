import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { type WorkspaceDefinition } from './definition.js';
import { type ListRows, type WorkspaceRows } from './workspace-rows.js';
import { type PlainColumn } from '../../common/database/json-columns.js';

/** A new definition, and how it differs from the stored one. */
export interface ChangedDefinition {
  readonly rows: WorkspaceRows;
  /** The stored definition; undefined for a new workspace. */
  readonly stored: WorkspaceDefinition | undefined;
  readonly merged: WorkspaceDefinition;
  readonly changes: readonly Change[];
  readonly matches: MatchedRows;
  readonly renames: DefinitionRenames;
}

/** Maps the former identity of an element, such as its former name or id, to its new name. */
export type Renames = ReadonlyMap<string, string>;

/** Maps the name of a kind, such as `field`, to the renames of its elements in one workspace or workflow. */
export type RenamesWithin = ReadonlyMap<string, Renames>;

/** The renames that a file asks for by `was:`, and that take effect. */
export interface DefinitionRenames {
  readonly workspace: RenamesWithin;
  readonly workflows: ReadonlyMap<string, RenamesWithin>;
}

export const renamesOf = (within: RenamesWithin | undefined, kind: string): Renames =>
  within?.get(kind) ?? new Map();

export interface MatchedRows {
  /** The row of an element, if it has one; a renamed element keeps its row. */
  rowOf<Row extends object>(entity: new () => Row, element: object): Row | undefined;
  /** The rows whose elements were removed. The rows inside a removed workflow are not in these lists. */
  readonly gone: ListRows;
}

@ApiSchema({ name: 'DefinitionElement' })
export class NamedElement {
  @ApiProperty({ description: 'The kind of element, such as `field`.' })
  readonly what!: string;

  @ApiProperty({ description: 'The name of the element, such as `vendors / Tier`.' })
  readonly name!: string;
}

@ApiSchema({ name: 'DefinitionChange' })
export class Change extends NamedElement {
  @ApiProperty({ enum: ['add', 'rename', 'change', 'remove'] })
  readonly kind!: 'add' | 'rename' | 'change' | 'remove';

  @ApiPropertyOptional({ description: 'Further details.' })
  readonly detail?: string;

  @ApiPropertyOptional({
    type: 'array',
    items: {
      type: 'object',
      additionalProperties: true,
      description:
        'A difference within the element: `at`, `before`, `after`, and `relaxes` if it allows more or requires less.',
    },
  })
  readonly alterations?: readonly Alteration[];

  /**
   * Also true if a whole element is added or removed and this allows more. Examples are a new member, and the
   * removal of the last role, after which all users may do everything.
   */
  @ApiPropertyOptional({ type: Boolean, description: 'True if the change allows more or requires less.' })
  readonly relaxes?: true;
}

export interface Alteration {
  /** The path of the difference, such as `steps["Close"].stage`. */
  readonly at: string;
  /** Absent if the value was added. */
  readonly before?: PlainColumn;
  /** Absent if the value was removed. */
  readonly after?: PlainColumn;
  /** Whether the difference allows more or requires less, according to the schema of the setting. */
  readonly relaxes?: true;
}
