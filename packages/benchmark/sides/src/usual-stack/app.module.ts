import { Controller, Get, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { databaseUrl, poolSize } from '../listen.ts';
import { connectToPsp } from '../psp.ts';
import { Payment } from './payment.entity.ts';
import { PaymentsController } from './payments.controller.ts';
import { PaymentsService, Psp } from './payments.service.ts';
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
  providers: [PaymentsService, { provide: Psp, useFactory: async () => new Psp(await connectToPsp()) }],
})
export class AppModule {}
