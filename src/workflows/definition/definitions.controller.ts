import { CurrentWorkflow, CurrentWorkspace } from '../model/current.decorators.js';
import { type Principal, CurrentPrincipal } from '../../common/request.js';
import { Controller, Get, Param } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { ref, listOf } from '../../common/openapi/vocabulary.js';
import { ApiTagged } from '../../common/openapi/answers.js';
import { documentOf, documentReply } from '../../common/http/replies.js';
import { type Reply } from '../../common/reply.js';
import { noUser } from '../model/not-found.js';
import { rolesNamed } from '../model/role-definition.js';
import { type Workflow, type Workspace } from '../model/workspace.js';
import { workflowsKnownTo } from '../model/known.js';
import { storedDefinition, storedWorkflows } from '../model/stored-definition.js';
import { relationships } from '../model/kinds/relationships.kind.js';
import { kinds } from './kinds.js';
import { type UserEntity } from '../model/entities/user.entity.js';
import { type RelationshipDefinition, type RelationshipEnd } from '../model/relationship-definition.js';
import { type WorkflowDefinition } from '../model/definition.js';
import { initialStage } from '../model/check/kit.js';
import { Named, NamedRole, Participant, StageName } from './definition.dto.js';

/** From the workspace in memory, serves the parts of the definition that clients read. */
@Controller('api/v1')
@ApiTags('Definition')
export class IntrospectionController {
  @Get('workspace')
  @ApiOperation({ summary: 'Read the workspace' })
  @ApiTagged({ type: Named })
  readWorkspace(@CurrentWorkspace() workspace: Workspace): Reply {
    return shownReply(showNamed(workspace));
  }

  @Get('workflows')
  @ApiOperation({ summary: 'List the workflows' })
  @ApiTagged({ type: [Named] })
  listWorkflows(@CurrentWorkspace() workspace: Workspace, @CurrentPrincipal() principal: Principal): Reply {
    return shownReply(workflowsKnownTo(workspace, principal).map(showNamed));
  }

  @Get('workflows/:workflow_id')
  @ApiOperation({ summary: 'Read the whole definition of a workflow' })
  @ApiTagged({ schema: ref('WorkflowDefinition') })
  readWorkflow(
    @CurrentWorkspace() workspace: Workspace,
    @CurrentWorkflow() workflow: Workflow,
    @CurrentPrincipal() principal: Principal,
  ): Reply {
    const shown = showWorkflow(workspace, workflow);
    if (!principal.narrowing) return shownReply(shown);
    const known = workflowsKnownTo(workspace, principal).map(({ slug }) => slug);
    return shownReply(narrowedDefinition(shown, workflow, known));
  }

  @Get('workflows/:workflow_id/stages')
  @ApiOperation({ summary: 'List the stages' })
  @ApiTagged({ type: [StageName] })
  listStages(@CurrentWorkflow() workflow: Workflow): Reply {
    return shownReply(showStages(workflow));
  }

  @Get('workflows/:workflow_id/fields')
  @ApiOperation({ summary: 'List the fields' })
  @ApiTagged({ schema: listOf(ref('Field')) })
  listFields(@CurrentWorkflow() workflow: Workflow): Reply {
    return shownReply(showFields(workflow));
  }

  @Get('workflows/:workflow_id/roles')
  @ApiOperation({ summary: 'List the roles' })
  @ApiTagged({ type: [NamedRole] })
  listRoles(@CurrentWorkflow() workflow: Workflow): Reply {
    return shownReply(showRoles(workflow));
  }

  @Get('workflows/:workflow_id/users')
  @ApiOperation({
    summary: 'List the users of the workflow, or of the workspace if the workflow has no roles',
  })
  @ApiTagged({ type: [Participant] })
  listUsers(@CurrentWorkspace() workspace: Workspace, @CurrentWorkflow() workflow: Workflow): Reply {
    return shownReply(participants(workspace, workflow));
  }

  @Get('workflows/:workflow_id/users/:user_id')
  @ApiOperation({ summary: 'Read a user' })
  @ApiTagged({ type: Participant })
  readUser(
    @CurrentWorkspace() workspace: Workspace,
    @CurrentWorkflow() workflow: Workflow,
    @Param('user_id') userId: string,
  ): Reply {
    return shownReply(participantOf(workspace, workflow, userId));
  }
}

function shownReply(shown: object): Reply {
  return documentReply(documentOf(JSON.stringify(shown)));
}

export function showNamed({ slug, name }: Workspace | Workflow): Named {
  return { id: slug, name };
}

interface ShownWorkflow extends Omit<WorkflowDefinition, 'fields'> {
  readonly fields: object[];
  readonly relationships: readonly RelationshipDefinition[];
}

/**
 * The parts of a workflow that a narrowed key sees. A narrowed key has limits besides its scope: for example,
 * it sees only certain workflows. Leaves out steps, because steps may name things that the key must not see.
 */
function narrowedDefinition(
  { id, name, stages, fields, checklist, relationships }: ShownWorkflow,
  workflow: Workflow,
  known: readonly string[],
): object {
  // If the key does not know the workflow at an end of a relationship, hides this end.
  const end = ({ workflow, name }: RelationshipEnd): object =>
    known.includes(workflow) ? { workflow, name } : {};
  return {
    ...{ id, name, stages: stages.map(({ name, end }) => ({ name, end })), fields, checklist },
    actions: workflow.actions.map(({ id, name }) => ({ id, name })),
    relationships: relationships.map(({ id, kind, from, to }) => ({
      id,
      kind,
      from: end(from),
      to: end(to),
    })),
  };
}

/** A workflow as in a definition file, with its relationships and the ids of its fields. */
function showWorkflow({ rows }: Workspace, workflow: Workflow): ShownWorkflow {
  const definition = storedWorkflows(rows, kinds)({ ...workflow, search: workflow.schema.isSearched });
  const first = initialStage(definition.stages);
  return {
    ...definition,
    stages: definition.stages.map((stage) => ({ ...stage, initial: stage === first })),
    fields: showFields(workflow),
    relationships: storedDefinition(rows, [relationships]).relationships.filter(({ from, to }) =>
      [from.workflow, to.workflow].includes(workflow.slug),
    ),
  };
}

function showStages({ schema }: Workflow): StageName[] {
  return schema.stages.all.map(({ name }) => ({ name }));
}

/** The fields in order, each with all its settings. */
export function showFields({ fields }: Workflow): object[] {
  return fields.map(({ id, name, type, required, editable, settings }) => ({
    id,
    name,
    type,
    required,
    editable,
    ...settings,
  }));
}

function showRoles({ roles }: Workflow): NamedRole[] {
  return roles.map(({ id, name, admin }) => ({ id, name, admin }));
}

/** The active members of a workflow. If the workflow defines no roles, all active users of the workspace. */
export function participants({ rows }: Workspace, { roles, members }: Workflow): Participant[] {
  const active = rows.users.filter((user) => user.active);
  if (roles.length === 0) return active.map((user) => participant(user, []));
  const users = new Map(active.map((user) => [user.email.toLowerCase(), user]));
  return members.flatMap((member) => {
    const user = users.get(member.email.toLowerCase());
    return user ? [participant(user, rolesNamed(member))] : [];
  });
}

/** The participant with this id; 404 if there is none. */
function participantOf(workspace: Workspace, workflow: Workflow, id: string): Participant {
  const user = participants(workspace, workflow).find((user) => user.id === id);
  if (!user) throw noUser(workflow, id);
  return user;
}

function participant({ id, email, firstName, lastName }: UserEntity, roles: readonly string[]): Participant {
  const [role_id = null, ...others] = roles;
  const shown = { id, email, first_name: firstName, last_name: lastName, role_id };
  return others.length === 0 ? shown : { ...shown, role_ids: roles };
}
