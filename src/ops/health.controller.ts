import { ApiProperty } from '@nestjs/swagger';
import { SetMetadata, Controller, Get } from '@nestjs/common';
import { serviceVersion } from '../lib/version.js';
import { Reply } from '../lib/reply.js';
import { Health, type Readiness } from './health.js';

export const isPublic = Symbol('public');

/** Lets a handler answer without a key; all others require one. */
export const Public = (): ClassDecorator & MethodDecorator => SetMetadata(isPublic, true);

export const isPublicOutsideApi = Symbol('public-outside-api');

/** Lets a handler answer without a key, but not under the API's paths. */
export const PublicOutsideApi = (): MethodDecorator => SetMetadata(isPublicOutsideApi, true);

/** Says that this process answers. */
export class Liveness {
  @ApiProperty({ description: 'The process answers.', enum: ['ok'] })
  readonly status!: 'ok';

  @ApiProperty({ description: 'The running version of the service.' })
  readonly version!: string;
}

@Public()
@Controller('health')
export class HealthController {
  constructor(private readonly health: Health) {}

  @Get('live')
  live(): Liveness {
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
