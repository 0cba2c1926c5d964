/**
 * CRC16 as the BR Code wants it (EMV MPM: polynomial 0x1021, initial 0xFFFF, no reflection), over the text's
 * bytes, UTF-8 unless told otherwise; four upper-case hexadecimal digits.
 */
export function crc16(text: string, encoding: 'utf8' | 'latin1' = 'utf8'): string {
  let crc = 0xffff;
  for (const byte of Buffer.from(text, encoding)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) {
      crc = crc & 0x8000 ? ((crc << 1) ^ 0x1021) & 0xffff : (crc << 1) & 0xffff;
    }
  }
  return crc.toString(16).toUpperCase().padStart(4, '0');
}
