import { type INestApplication, Inject, Injectable } from '@nestjs/common';
import { type OpenAPIObject } from '@nestjs/swagger';
import { CONFIG, type Config } from '../config.js';
import { type Workflow, type Workspace } from '../workflows/workspace.js';

/** The descriptions of the interface as JSON, made when somebody first asks for them: the start does not wait. */
@Injectable()
export class Documents {
  private app: INestApplication | undefined;
  private made: Promise<OpenAPIObject> | undefined;
  private text: string | undefined;
  /** By the definition that they describe. */
  private readonly ofWorkflows = new WeakMap<Workflow, string>();

  constructor(@Inject(CONFIG) private readonly config: Config) {}

  /** Says whose routes are described. */
  describe(app: INestApplication): void {
    this.app = app;
  }

  /** The description of the whole interface. */
  async general(): Promise<string> {
    return (this.text ??= JSON.stringify(await this.document()));
  }

  /** The description of the interface as this workflow has it. */
  async ofWorkflow(workspace: Workspace, workflow: Workflow): Promise<string> {
    const known = this.ofWorkflows.get(workflow);
    if (known !== undefined) return known;
    const { workflowDocument } = await import('./workflow/workflow-document.js');
    const text = JSON.stringify(workflowDocument(await this.document(), workspace, workflow));
    this.ofWorkflows.set(workflow, text);
    return text;
  }

  private async document(): Promise<OpenAPIObject> {
    return (this.made ??= this.make());
  }

  private async make(): Promise<OpenAPIObject> {
    if (!this.app) throw new Error('nobody has said whose routes are described');
    const { buildGeneralDocument } = await import('./general-document.js');
    return buildGeneralDocument(this.app, this.config.publicUrl ?? '/');
  }
}
