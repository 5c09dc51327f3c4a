import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type Absence, type User } from '../fields/field-type.js';
import { type Workspace } from '../model/workspace.js';
import { Workspaces } from '../model/workspaces.js';
import { applyDefinition } from './apply-definition.js';
import { readDefinition } from './source/read-definition.js';

@Injectable()
export class Absences {
  constructor(
    private readonly dataSource: DataSource,
    private readonly workspaces: Workspaces,
  ) {}

  /**
   * Sets or clears the absence of a user. Throws `DefinitionFaults` if the resulting definition is invalid.
   */
  async replace(
    workspace: Pick<Workspace, 'id' | 'slug'>,
    user: Pick<User, 'email' | 'firstName' | 'lastName'>,
    away: Absence | null,
  ): Promise<void> {
    const { email, firstName: first_name = null, lastName: last_name = null } = user;
    const users = [{ email, first_name, last_name, away }];
    const document = { workspace: { id: workspace.slug }, users };
    const source = readDefinition(JSON.stringify(document), 'account page');
    await applyDefinition(this.dataSource, source, { author: email });
    // Refreshes the cached workspace, so that the next read in this process sees the change.
    await this.workspaces.inForce(workspace.id);
  }
}
