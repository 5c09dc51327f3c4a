import { Module } from '@nestjs/common';
import { AuthModule } from '../../access/auth.module.js';
import { TasksModule } from '../../tasks/tasks.module.js';
import { FormsService } from './forms.service.js';
import { QuarantineController } from './quarantine.controller.js';

@Module({
  imports: [AuthModule, TasksModule],
  controllers: [QuarantineController],
  providers: [FormsService],
  exports: [FormsService],
})
export class FormsModule {}
