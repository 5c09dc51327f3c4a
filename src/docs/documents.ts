import { type INestApplication, Inject, Injectable } from '@nestjs/common';
import { type OpenAPIObject } from '@nestjs/swagger';
import { LRUCache } from 'lru-cache';
import { CONFIG, type Config } from '../config.js';
import { documentOf, type SharedDocument } from '../http/replies.js';
import { pauses, turn } from '../../packages/fair/turn.js';
import { type Workspace } from '../workspace/workspace.js';
import { type Describer } from '../openapi/general-document.js';
import { type Scope } from '../workspace/scope.js';

interface Subject {
  readonly app: INestApplication;
  readonly load: () => Promise<readonly Describer[]>;
}

/** The descriptions of the interface as JSON, made when somebody first asks for them: the start does not wait. */
@Injectable()
export class Documents {
  private subject: Subject | undefined;
  private made: Promise<OpenAPIObject> | undefined;
  private shared: SharedDocument | undefined;
  /** By the definition that they describe. One takes 2 MB where a workflow has many relationships. */
  private readonly ofWorkflows = new LRUCache<string, SharedDocument>({
    maxSize: 16_000_000,
    sizeCalculation: ({ bytes }) => bytes.length,
  });
  private readonly underWay = new Map<string, Promise<SharedDocument>>();

  constructor(@Inject(CONFIG) private readonly config: Config) {}

  /** Says whose routes are described, and where their descriptions are. */
  describe(app: INestApplication, load: Subject['load']): void {
    this.subject = { app, load };
  }

  /** The description of the whole interface. */
  async general(): Promise<SharedDocument> {
    return (this.shared ??= documentOf(JSON.stringify(await this.document())));
  }

  /** The description of the interface as this workflow has it. */
  async ofWorkflow(workspace: Workspace, scope: Scope): Promise<SharedDocument> {
    const narrowing = JSON.stringify(scope.viewer?.narrowing ?? null);
    const name = `${workspace.id}/${scope.workflow.id}/${workspace.version}/${narrowing}`;
    const known = this.ofWorkflows.get(name);
    if (known !== undefined) return known;
    const making = this.underWay.get(name) ?? this.makeOf(workspace, scope);
    this.underWay.set(name, making);
    try {
      const made = await making;
      this.ofWorkflows.set(name, made);
      return made;
    } finally {
      this.underWay.delete(name);
    }
  }

  /** Made once for all who ask meanwhile, while others have the event loop. */
  private async makeOf(workspace: Workspace, scope: Scope): Promise<SharedDocument> {
    const { workflowDocument } = await import('../openapi/workflow-document.js');
    const general = await this.document();
    await turn(scope);
    const json = await workflowDocument(general, workspace, scope.workflow, pauses(scope));
    await turn(scope);
    return documentOf(json);
  }

  private async document(): Promise<OpenAPIObject> {
    return (this.made ??= this.make());
  }

  private async make(): Promise<OpenAPIObject> {
    if (!this.subject) throw new Error('nobody has said whose routes are described');
    const { app, load } = this.subject;
    const [{ buildGeneralDocument }, { openAnswers }, { readExamples, withExamples }, describers] =
      await Promise.all([
        import('../openapi/general-document.js'),
        import('../openapi/open-answers.js'),
        import('../openapi/examples.js'),
        load(),
      ]);
    const document = buildGeneralDocument(app, describers, this.config.publicUrl ?? '/');
    return withExamples(await openAnswers(document, () => undefined), await readExamples());
  }
}
