import { Module } from '@nestjs/common';
import { ApprovalsController, OpenApprovalsController } from './approvals.controller.js';
import { ApprovalsService } from './approvals.service.js';

@Module({
  controllers: [ApprovalsController, OpenApprovalsController],
  providers: [ApprovalsService],
  exports: [ApprovalsService],
})
export class ApprovalsModule {}
