import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { type Request, type Response } from 'express';
import { CurrentPrincipal } from '../access/current.decorators.js';
import { type Principal } from '../access/principal.js';
import { FilesService } from './files.service.js';
import { sendFile } from './send-file.js';

/** Downloads of attachments. */
@Controller('api/v1/files')
export class FilesController {
  constructor(private readonly files: FilesService) {}

  @Get(':blob_id')
  async read(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Param('blob_id') blobId: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await sendFile(request, response, await this.files.find(workspaceId, blobId));
  }
}
