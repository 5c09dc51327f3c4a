import { SetMetadata, Controller, Get, HttpStatus, Res } from '@nestjs/common';
import { type Response } from 'express';
import { Health } from './health.js';

export const isPublic = Symbol('public');

/** Lets a handler answer without a key; everything else is denied by default. */
export const Public = (): ClassDecorator & MethodDecorator => SetMetadata(isPublic, true);

@Public()
@Controller('health')
export class HealthController {
  constructor(private readonly health: Health) {}

  @Get('live')
  live(): { status: string } {
    return { status: 'ok' };
  }

  @Get('ready')
  async ready(@Res({ passthrough: true }) response: Response): Promise<object> {
    const readiness = await this.health.ready();
    response.status(readiness.status === 'unavailable' ? HttpStatus.SERVICE_UNAVAILABLE : HttpStatus.OK);
    return readiness;
  }
}
