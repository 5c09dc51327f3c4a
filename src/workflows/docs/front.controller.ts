import { Controller, Get, Redirect } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public } from '../../common/ops/health.controller.js';

/** The root of a service without a console: leads to the description, relatively, so that it works behind any prefix. */
@Public()
@Controller()
@ApiExcludeController()
export class FrontController {
  @Get()
  @Redirect('docs', 303)
  readFront(): void {
    // The decorator says it all.
  }
}
