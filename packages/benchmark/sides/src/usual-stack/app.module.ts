import { Controller, Get, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { databaseUrl, poolSize } from '../listen.ts';
import { Payment } from './payment.entity.ts';
import { PaymentsController } from './payments.controller.ts';
import { PaymentsService } from './payments.service.ts';
import { Store } from './store.entity.ts';

@Controller('health')
class HealthController {
  @Get('ready')
  ready() {
    return { status: 'ok' };
  }
}

@Module({
  imports: [
    TypeOrmModule.forRoot({
      type: 'postgres',
      url: databaseUrl,
      poolSize,
      entities: [Store, Payment],
      synchronize: true,
    }),
    TypeOrmModule.forFeature([Store, Payment]),
  ],
  controllers: [PaymentsController, HealthController],
  providers: [PaymentsService],
})
export class AppModule {}
