import { Inject, Injectable } from '@nestjs/common';
import { type Request } from 'express';
import { type Budget } from '../budget.js';
import { CONFIG, type Config } from '../config.js';
import { notFound } from '../errors/errors.js';
import { invalidField } from '../errors/field-errors.js';
import { findTask } from '../records/find-task.js';
import { type Precondition } from '../records/precondition.js';
import { checkFilename } from '../schema/filename.js';
import { Invalid } from '../schema/invalid.js';
import { isMediaType } from '../schema/media-type.js';
import { requireUniqueId } from '../workflows/require-unique-id.js';
import { WRITERS } from '../workflows/workflows.module.js';
import { type Workflow } from '../workflows/workspace.js';
import { Workspaces } from '../workflows/workspaces.js';
import { AttachmentDto } from './attachment.dto.js';
import { changeFiles, type FilesEdit, judgeAddition } from './change-files.js';
import { type ArrivingFile, readMultipartFile } from './read-multipart.js';
import { type Upload, Uploads } from './uploads.js';

/** A file field of a task, as a path names it. */
export interface AttachmentPath {
  readonly uniqueId: string;
  readonly field: string;
}

@Injectable()
export class AttachmentsService {
  constructor(
    private readonly workspaces: Workspaces,
    private readonly uploads: Uploads,
    @Inject(WRITERS) private readonly writers: Budget,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Adds the file that the request brings as `multipart/form-data`; its bytes go straight into the store. */
  async add(
    workflow: Workflow,
    path: AttachmentPath,
    precondition: Precondition,
    request: Request,
  ): Promise<AttachmentDto> {
    // Nobody should send a file in vain.
    await this.workspaces.withCurrent(workflow, async (current) => this.requireRoom(current, path));
    const added = await readMultipartFile(request, this.config, async (file) =>
      this.uploads.put(workflow.workspaceId, uploadOf(path.field, file)),
    );
    try {
      await this.change(workflow, path, { added }, precondition);
    } catch (error) {
      await this.uploads.drop(workflow.workspaceId, [added.file.blobId]);
      throw error;
    }
    return new AttachmentDto(added.file);
  }

  async remove(
    workflow: Workflow,
    path: AttachmentPath,
    blobId: string,
    precondition: Precondition,
  ): Promise<void> {
    await this.change(workflow, path, { removed: blobId }, precondition);
  }

  private async change(
    workflow: Workflow,
    { uniqueId, field }: AttachmentPath,
    edit: FilesEdit,
    precondition: Precondition,
  ): Promise<void> {
    await this.workspaces.withCurrent(workflow, async (current) => {
      const place = { uniqueId, fieldId: fieldOf(current, field) };
      await this.writers.use(() =>
        changeFiles(this.workspaces.db(current), current, place, edit, precondition),
      );
    });
  }

  private async requireRoom(workflow: Workflow, { uniqueId, field }: AttachmentPath): Promise<void> {
    const fieldId = fieldOf(workflow, field);
    const task = await findTask(this.workspaces.db(workflow), workflow, uniqueId);
    if (!task) throw notFound();
    judgeAddition(workflow.schema, fieldId, task).throwIfAny();
  }
}

/** The id of the file field of this name; 404 where there is none. */
function fieldOf({ schema }: Workflow, name: string): string {
  requireUniqueId({ schema });
  for (const [id, field] of schema.files) if (field.name === name) return id;
  throw notFound();
}

function uploadOf(field: string, { filename = '', contentType, bytes }: ArrivingFile): Upload {
  const name = checkFilename(filename);
  if (name instanceof Invalid) throw invalidField(field, `has a filename that ${name.message}`);
  if (!isMediaType(contentType)) throw invalidField(field, 'has a contentType that is not a media type');
  return { filename: name, contentType, bytes };
}
