import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { type Request, type Response } from 'express';
import { CurrentWorkflow, CurrentWorkspace } from '../access/current.decorators.js';
import { sendDocument } from '../answers/send.js';
import { type Workflow, type Workspace } from '../workflows/workspace.js';
import {
  participantOf,
  participants,
  showFields,
  showNamed,
  showRoles,
  showStages,
  showWorkflow,
} from './shown-definition.js';

/** The definition as clients read it, from memory. */
@Controller('api/v1')
export class IntrospectionController {
  @Get('workspace')
  async workspace(
    @CurrentWorkspace() workspace: Workspace,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await send(request, response, showNamed(workspace));
  }

  @Get('workflows')
  async workflows(
    @CurrentWorkspace() { workflows }: Workspace,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await send(request, response, [...workflows.values()].map(showNamed));
  }

  @Get('workflows/:workflow_id')
  async workflow(
    @CurrentWorkspace() workspace: Workspace,
    @CurrentWorkflow() workflow: Workflow,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await send(request, response, showWorkflow(workspace, workflow));
  }

  @Get('workflows/:workflow_id/stages')
  async stages(
    @CurrentWorkflow() workflow: Workflow,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await send(request, response, showStages(workflow));
  }

  @Get('workflows/:workflow_id/fields')
  async fields(
    @CurrentWorkspace() { rows }: Workspace,
    @CurrentWorkflow() workflow: Workflow,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await send(request, response, showFields(rows, workflow));
  }

  @Get('workflows/:workflow_id/roles')
  async roles(
    @CurrentWorkflow() workflow: Workflow,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await send(request, response, showRoles(workflow));
  }

  @Get('workflows/:workflow_id/users')
  async users(
    @CurrentWorkspace() workspace: Workspace,
    @CurrentWorkflow() workflow: Workflow,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await send(request, response, participants(workspace, workflow));
  }

  @Get('workflows/:workflow_id/users/:user_id')
  async user(
    @CurrentWorkspace() workspace: Workspace,
    @CurrentWorkflow() workflow: Workflow,
    @Param('user_id') userId: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await send(request, response, participantOf(workspace, workflow, userId));
  }
}

async function send(request: Request, response: Response, shown: object): Promise<void> {
  await sendDocument(request, response, JSON.stringify(shown));
}
