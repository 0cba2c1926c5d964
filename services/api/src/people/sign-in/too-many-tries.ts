/** @returns the message for a person who must wait */
export function tooManyTries(waitSeconds: number): string {
  const count = waitSeconds < 60 ? waitSeconds : Math.ceil(waitSeconds / 60);
  const unit = waitSeconds < 60 ? 'segundo' : 'minuto';
  return `Muitas tentativas. Tente de novo em ${count} ${unit}${count === 1 ? '' : 's'}.`;
}
