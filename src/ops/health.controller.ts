import { SetMetadata, Controller, Get } from '@nestjs/common';
import { serviceVersion } from '../lib/version.js';
import { Reply } from '../lib/reply.js';
import { Health, type Readiness } from './health.js';

export const isPublic = Symbol('public');

/** Lets a handler answer without a key; everything else is denied by default. */
export const Public = (): ClassDecorator & MethodDecorator => SetMetadata(isPublic, true);

@Public()
@Controller('health')
export class HealthController {
  constructor(private readonly health: Health) {}

  @Get('live')
  live(): { status: string; version: string } {
    return { status: 'ok', version: serviceVersion };
  }

  @Get('ready')
  async ready(): Promise<Reply> {
    return readinessReply(await this.health.ready());
  }
}

function readinessReply(readiness: Readiness): Reply {
  const status = readiness.status === 'unavailable' ? 503 : 200;
  return new Reply((response) => void response.status(status).json(readiness));
}
