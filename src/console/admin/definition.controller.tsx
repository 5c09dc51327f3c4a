import { Get } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { exportDefinition, renderYaml } from '../../definitions/source/write-yaml.js';
import { findVersion, listVersions, type VersionHead } from '../../definitions/store/history.js';
import { contentReply } from '../../http/replies.js';
import { notFound } from '../../lib/errors.js';
import { type Reply } from '../../lib/reply.js';
import { kinds } from '../../definitions/kinds.js';
import { storedDefinition } from '../../workspace/stored-definition.js';
import { pageReply } from '../page.js';
import { type Administrator, type AdminRequest, Asked, WorkspaceAdminPages } from './admin-pages.js';
import { DefinitionPage } from './definition-page.js';
import { VersionPage, VersionsPage } from './versions-page.js';
import { WorkflowPage } from './workflow-page.js';

/** The definition in force, and how it came to be what it is. */
@WorkspaceAdminPages('admin/definition')
export class AdminDefinitionController {
  constructor(private readonly dataSource: DataSource) {}

  @Get()
  async show(@Asked() { reader }: AdminRequest): Promise<Reply> {
    const versions = await this.before(reader, MAX_VERSION, LATEST);
    return pageReply(<DefinitionPage definition={definitionOf(reader)} versions={versions} />);
  }

  /** The whole definition, as `wts export` prints it. */
  @Get('file')
  file(@Asked() { reader }: AdminRequest): Reply {
    return contentReply(renderYaml(exportDefinition(definitionOf(reader))), {
      'Content-Type': 'text/yaml; charset=utf-8',
      'Content-Disposition': `attachment; filename="${reader.workspace.slug}.yaml"`,
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': 'private, no-store',
    });
  }

  @Get('workflows/:workflow')
  workflow(@Asked() { reader, id: slug }: AdminRequest): Reply {
    const workflow = definitionOf(reader).workflows.find(({ id }) => id === slug);
    if (!workflow) throw notFound();
    return pageReply(<WorkflowPage workflow={workflow} />);
  }

  @Get('versions')
  async versions(@Asked() { reader, query }: AdminRequest): Promise<Reply> {
    const after = versionIn(query.get('after'));
    const found = await this.before(reader, after ?? MAX_VERSION, ROWS + 1);
    const versions = found.slice(0, ROWS);
    const next = found.length > ROWS ? versions.at(-1)?.version : undefined;
    return pageReply(<VersionsPage versions={versions} next={next} isFirst={after === undefined} />);
  }

  @Get('versions/:version')
  async version(@Asked() { reader, id: named }: AdminRequest): Promise<Reply> {
    const number = versionIn(named);
    const { workspaceId } = reader.session;
    const version = number && (await findVersion(this.dataSource.manager, workspaceId, number));
    if (!version) throw notFound();
    return pageReply(<VersionPage version={version} />);
  }

  private before({ session }: Administrator, version: number, limit: number): Promise<VersionHead[]> {
    return listVersions(this.dataSource.manager, session.workspaceId, version, limit);
  }
}

/** On the page of the definition, and on a page of all. */
const LATEST = 5;
const ROWS = 30;
const MAX_VERSION = 2 ** 31 - 1;

const definitionOf = ({ workspace }: Administrator): ReturnType<typeof storedDefinition> =>
  storedDefinition(workspace.rows, kinds);

const versionIn = (text: string | null): number | undefined =>
  text !== null && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
