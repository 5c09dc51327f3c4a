import { type INestApplication, Inject, Injectable } from '@nestjs/common';
import { type OpenAPIObject } from '@nestjs/swagger';
import { LRUCache } from 'lru-cache';
import { CONFIG, type Config } from '../../config.js';
import { documentOf, type SharedDocument } from '../../common/http/replies.js';
import { pauses, turn } from '../../../packages/fair/turn.js';
import { unknownSides } from '../model/narrowing.js';
import { type Workspace } from '../model/workspace.js';
import { type Scope } from '../model/scope.js';

/** The workflow that an OpenAPI document describes. `scope` says what the reader may see of it. */
interface Described {
  readonly workspace: Workspace;
  readonly scope: Scope;
}

/**
 * Provides the OpenAPI documents as JSON. They are built on first use, so that they do not delay the start.
 */
@Injectable()
export class Documents {
  private app: INestApplication | undefined;
  private made: Promise<OpenAPIObject> | undefined;
  private shared: SharedDocument | undefined;
  /**
   * The documents of workflows, by workflow, version and what the reader may see. One document may take 2 MB.
   */
  private readonly ofWorkflows = new LRUCache<string, SharedDocument, Described>({
    maxSize: 16_000_000,
    sizeCalculation: ({ bytes }) => bytes.length,
    ignoreFetchAbort: true,
    fetchMethod: (_name, _stale, { context }) => this.makeOf(context),
  });

  constructor(@Inject(CONFIG) private readonly config: Config) {}

  /** Sets the application whose routes are described. */
  describe(app: INestApplication): void {
    this.app = app;
  }

  async general(): Promise<SharedDocument> {
    if (this.shared) return this.shared;
    return (this.shared = documentOf(JSON.stringify(await this.document())));
  }

  async ofWorkflow(workspace: Workspace, scope: Scope): Promise<SharedDocument> {
    const { workflow, viewer } = scope;
    const seen = JSON.stringify([viewer?.narrowing, unknownSides(workflow, viewer)]);
    const name = `${workspace.id}/${workflow.id}/${workspace.version}/${seen}`;
    return this.ofWorkflows.forceFetch(name, { context: { workspace, scope } });
  }

  /** Builds a document, and pauses between its parts for other work. The cache shares the result. */
  private async makeOf({ workspace, scope }: Described): Promise<SharedDocument> {
    const { workflowDocument } = await import('./workflow-document.js');
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
    if (!this.app) throw new Error('describe() was not called');
    const { buildGeneralDocument } = await import('./general-document.js');
    return buildGeneralDocument(this.app, this.config.publicUrl ?? '/');
  }
}
