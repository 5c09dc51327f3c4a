import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { exportDefinition, renderYaml } from '../../definitions/source/write-yaml.js';
import { findVersion, listVersions } from '../../definitions/store/history.js';
import { contentReply } from '../../http/replies.js';
import { notFound } from '../../lib/errors.js';
import { type Reply } from '../../lib/reply.js';
import { readQuery } from '../../ops/query.js';
import { storedDefinition } from '../../workspace/workspace-rows.js';
import { pageReply } from '../page.js';
import { type PageRequest } from '../reader.js';
import { type Administrator } from './admin-pages.js';
import { DefinitionPage } from './definition-page.js';
import { VersionPage, VersionsPage } from './versions-page.js';
import { WorkflowPage } from './workflow-page.js';

/** The pages of the definition. */
@Injectable()
export class DefinitionPages {
  constructor(private readonly dataSource: DataSource) {}

  async show(to: Administrator): Promise<Reply> {
    const versions = await this.before(to, MAX_VERSION, LATEST);
    return pageReply(<DefinitionPage to={to} definition={definitionOf(to)} versions={versions} />);
  }

  /** The whole definition, as `wts export` prints it. */
  file(to: Administrator): Reply {
    return contentReply(renderYaml(exportDefinition(definitionOf(to))), {
      'Content-Type': 'text/yaml; charset=utf-8',
      'Content-Disposition': `attachment; filename="${to.workspace.slug}.yaml"`,
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': 'private, no-store',
    });
  }

  workflow(to: Administrator, slug: string): Reply {
    const workflow = definitionOf(to).workflows.find(({ id }) => id === slug);
    if (!workflow) throw notFound();
    return pageReply(<WorkflowPage to={to} workflow={workflow} />);
  }

  async versions(to: Administrator, request: PageRequest): Promise<Reply> {
    const after = versionIn(readQuery(request.originalUrl).get('after'));
    const found = await this.before(to, after ?? MAX_VERSION, ROWS + 1);
    const versions = found.slice(0, ROWS);
    const next = found.length > ROWS ? versions.at(-1)?.version : undefined;
    return pageReply(<VersionsPage {...{ to, versions, next, isFirst: after === undefined }} />);
  }

  async version(to: Administrator, named: string): Promise<Reply> {
    const number = versionIn(named);
    const { workspaceId } = to.session;
    const version = number && (await findVersion(this.dataSource.manager, workspaceId, number));
    if (!version) throw notFound();
    return pageReply(<VersionPage to={to} version={version} />);
  }

  private before(
    { session }: Administrator,
    version: number,
    limit: number,
  ): ReturnType<typeof listVersions> {
    return listVersions(this.dataSource.manager, session.workspaceId, version, limit);
  }
}

/** On the page of the definition, and on a page of all. */
const LATEST = 5;
const ROWS = 30;
const MAX_VERSION = 2 ** 31 - 1;

const definitionOf = ({ workspace }: Administrator): ReturnType<typeof storedDefinition> =>
  storedDefinition(workspace.rows);

const versionIn = (text: string | null): number | undefined =>
  text !== null && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
