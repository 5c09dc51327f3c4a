import { type INestApplication, Inject, Injectable } from '@nestjs/common';
import { type OpenAPIObject } from '@nestjs/swagger';
import { CONFIG, type Config } from '../config.js';
import { type Workflow, type Workspace } from '../workspace/workspace.js';
import { type Describer } from './general-document.js';

interface Subject {
  readonly app: INestApplication;
  readonly load: () => Promise<readonly Describer[]>;
}

/** The descriptions of the interface as JSON, made when somebody first asks for them: the start does not wait. */
@Injectable()
export class Documents {
  private subject: Subject | undefined;
  private made: Promise<OpenAPIObject> | undefined;
  private text: string | undefined;
  /** By the definition that they describe. */
  private readonly ofWorkflows = new WeakMap<Workflow, string>();

  constructor(@Inject(CONFIG) private readonly config: Config) {}

  /** Says whose routes are described, and where to find what there is to say of them. */
  describe(app: INestApplication, load: Subject['load']): void {
    this.subject = { app, load };
  }

  /** The description of the whole interface. */
  async general(): Promise<string> {
    return (this.text ??= JSON.stringify(await this.document()));
  }

  /** The description of the interface as this workflow has it. */
  async ofWorkflow(workspace: Workspace, workflow: Workflow): Promise<string> {
    const known = this.ofWorkflows.get(workflow);
    if (known !== undefined) return known;
    const { workflowDocument } = await import('./workflow-document.js');
    const text = JSON.stringify(workflowDocument(await this.document(), workspace, workflow));
    this.ofWorkflows.set(workflow, text);
    return text;
  }

  private async document(): Promise<OpenAPIObject> {
    return (this.made ??= this.make());
  }

  private async make(): Promise<OpenAPIObject> {
    if (!this.subject) throw new Error('nobody has said whose routes are described');
    const { app, load } = this.subject;
    const [{ buildGeneralDocument }, { readExamples, withExamples }, describers] = await Promise.all([
      import('./general-document.js'),
      import('./examples.js'),
      load(),
    ]);
    const document = buildGeneralDocument(app, describers, this.config.publicUrl ?? '/');
    return withExamples(document, await readExamples());
  }
}
