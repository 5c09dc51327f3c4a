import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { type Request, type Response } from 'express';
import { sendDocument } from '../answers/send.js';
import { Public } from '../observability/public.decorator.js';
import { Documents } from './documents.js';
import { sendAsset, sendPage } from './page.js';

/** The description of the interface, for everybody. */
@Public()
@Controller('docs')
export class DocsController {
  constructor(private readonly documents: Documents) {}

  @Get()
  page(@Res() response: Response): void {
    sendPage(response);
  }

  @Get('openapi.json')
  async document(@Req() request: Request, @Res() response: Response): Promise<void> {
    await sendDocument(request, response, await this.documents.general());
  }

  @Get(':asset')
  asset(@Param('asset') name: string, @Res() response: Response): void {
    sendAsset(response, name);
  }
}
