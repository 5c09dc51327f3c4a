import { type INestApplication, Inject, Injectable } from '@nestjs/common';
import { type OpenAPIObject } from '@nestjs/swagger';
import { LRUCache } from 'lru-cache';
import { CONFIG, type Config } from '../config.js';
import { turn } from '../lib/turn.js';
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
  /** By the definition that they describe. One takes 2 MB where a workflow has many relationships. */
  private readonly ofWorkflows = new LRUCache<string, string>({
    maxSize: 16_000_000,
    sizeCalculation: (text) => text.length,
  });
  private readonly underWay = new Map<string, Promise<string>>();

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
    const name = `${workspace.id}/${workflow.id}/${workspace.version}`;
    // What was made is hashed and sent whole, which takes some milliseconds of each round.
    await turn(workflow);
    const known = this.ofWorkflows.get(name);
    if (known !== undefined) return known;
    const making = this.underWay.get(name) ?? this.makeOf(workspace, workflow);
    this.underWay.set(name, making);
    try {
      const text = await making;
      this.ofWorkflows.set(name, text);
      return text;
    } finally {
      this.underWay.delete(name);
    }
  }

  /** Made once for all who ask meanwhile, and one in a round of the event loop. */
  private async makeOf(workspace: Workspace, workflow: Workflow): Promise<string> {
    const { workflowDocument } = await import('./workflow-document.js');
    const general = await this.document();
    const document = workflowDocument(general, workspace, workflow);
    await turn(workflow);
    return JSON.stringify(document);
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
