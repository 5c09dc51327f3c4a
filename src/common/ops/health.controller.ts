import { SetMetadata, Controller, Get } from '@nestjs/common';
import {
  ApiOkResponse,
  ApiOperation,
  ApiProperty,
  ApiServiceUnavailableResponse,
  ApiTags,
} from '@nestjs/swagger';
import { serviceVersion } from '../version.js';
import { type Reply } from '../reply.js';
import { Health, Readiness } from './health.js';

export const isPublic = Symbol('public');

/** Lets clients call a handler without a key. Other handlers, except `PublicOutsideApi`, require a key. */
export const Public = (): ClassDecorator & MethodDecorator => SetMetadata(isPublic, true);

export const isPublicOutsideApi = Symbol('public-outside-api');

/** Like `Public`, but not under the paths of the API. */
export const PublicOutsideApi = (): MethodDecorator => SetMetadata(isPublicOutsideApi, true);

/** The answer of a running process. */
export class Liveness {
  @ApiProperty({ description: 'The process answers.', enum: ['ok'] })
  readonly status!: 'ok';

  @ApiProperty({ description: 'The running version of the service.' })
  readonly version!: string;
}

@Public()
@Controller('health')
@ApiTags('Service')
export class HealthController {
  constructor(private readonly health: Health) {}

  @Get('live')
  @ApiOperation({ summary: 'Ask whether the process answers', security: [] })
  @ApiOkResponse({ type: Liveness })
  readLiveness(): Liveness {
    return { status: 'ok', version: serviceVersion };
  }

  @Get('ready')
  @ApiOperation({ summary: 'Ask whether the service is ready', security: [] })
  @ApiOkResponse({ type: Readiness })
  @ApiServiceUnavailableResponse({ type: Readiness })
  async readReadiness(): Promise<Reply> {
    const readiness = await this.health.ready();
    const status = readiness.status === 'unavailable' ? 503 : 200;
    return (response) => void response.status(status).json(readiness);
  }
}
