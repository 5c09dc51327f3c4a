import { CurrentWorkspace } from '../workflows/model/current.decorators.js';
import { ForCreators, type Principal, CurrentPrincipal } from '../common/request.js';
import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiSchema, ApiTags } from '@nestjs/swagger';
import { keyScopes } from '../common/column-values.js';
import { type Workspace } from '../workflows/model/workspace.js';

const narrowed = (description: string): PropertyDecorator =>
  ApiProperty({
    type: [String],
    nullable: true,
    description: `${description}; null means all.`,
  });

@ApiSchema({ name: 'Key', description: 'A key, and what it may do.' })
export class ShownKey {
  @ApiProperty({ description: 'The id of the key, as in events.' })
  readonly id!: string;

  @ApiProperty({ description: 'The name of the key.' })
  readonly name!: string;

  @ApiProperty({ enum: keyScopes, description: 'The scope of the key.' })
  readonly scope!: string;

  @narrowed('The ids of the workflows that the key can see')
  readonly workflows!: readonly string[] | null;

  @narrowed('The ids of the actions that the key may start')
  readonly actions!: readonly string[] | null;

  @narrowed('The names of the fields that the key may write')
  readonly fields!: readonly string[] | null;

  @ApiProperty({ description: 'Whether the key can only create tasks.' })
  readonly creates!: boolean;

  @ApiProperty({ type: String, nullable: true, description: 'The e-mail of the user that the key acts as.' })
  readonly as!: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'When the key expires.' })
  readonly expires_at!: string | null;
}

export class Whoami {
  @ApiProperty({ description: 'The id of the workspace of the key.' })
  readonly workspace!: string;

  @ApiProperty({ type: () => ShownKey })
  readonly key!: ShownKey;
}

@Controller('api/v1/whoami')
@ApiTags('Definition')
export class WhoamiController {
  @Get()
  @ForCreators()
  @ApiOperation({ summary: 'Read the key of the request' })
  @ApiOkResponse({ type: Whoami })
  whoami(
    @CurrentWorkspace() { slug, users }: Workspace,
    @CurrentPrincipal() { keyId, name, scope, narrowing, userId, expiresAt }: Principal,
  ): Whoami {
    const { workflows = null, actions = null, fields = null } = narrowing ?? {};
    return {
      workspace: slug,
      key: {
        id: keyId,
        name,
        scope,
        workflows,
        actions,
        fields,
        creates: narrowing?.creates === true,
        as: userId === undefined ? null : (users.get(userId)?.email ?? null),
        expires_at: expiresAt === null ? null : new Date(expiresAt).toISOString(),
      },
    };
  }
}
