import { Body, Controller, Get, HttpCode, Param, ParseUUIDPipe, Post, UseGuards } from '@nestjs/common';
import { CreatePaymentDto } from './create-payment.dto.ts';
import { CurrentStore } from './current-store.decorator.ts';
import { PaymentsService } from './payments.service.ts';
import { Store } from './store.entity.ts';
import { TokenGuard } from './token.guard.ts';

@Controller('api-public/payments')
@UseGuards(TokenGuard)
export class PaymentsController {
  constructor(private readonly payments: PaymentsService) {}

  @Post()
  @HttpCode(200)
  create(@CurrentStore() store: Store, @Body() dto: CreatePaymentDto) {
    return this.payments.create(store.id, dto);
  }

  @Get(':id')
  findOne(@CurrentStore() store: Store, @Param('id', ParseUUIDPipe) id: string) {
    return this.payments.findOne(store.id, id);
  }
}
