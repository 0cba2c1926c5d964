import { IsEmail, IsNumber, IsOptional, IsString, IsUrl, Max, MaxLength, Min } from 'class-validator';

export class CreatePaymentDto {
  @IsNumber({ maxDecimalPlaces: 2 })
  @Min(5)
  @Max(3000)
  amount: number;

  @IsOptional()
  @IsEmail()
  email?: string;

  @IsOptional()
  @IsString()
  @MaxLength(2048)
  observation?: string;

  @IsOptional()
  @IsUrl({ require_tld: false })
  webhookUrl?: string;
}
