import { html, nothing, type SafeHtml } from '../../pages/html.ts';
import type { Question } from '../../people/second-factor/passkeys.ts';
import { type PostForm, postForm } from './forms.ts';

/** A form whose button asks the device for a passkey. It needs the page's script. */
export function passkeyForm(
  form: PostForm,
  { options, sealed, way, label }: Question & { way: 'create' | 'get'; label: string },
  fields: SafeHtml = nothing,
): SafeHtml {
  return postForm(
    form,
    html`${fields}<input type="hidden" name="sealed" value="${sealed}"><input type="hidden" name="answer">
      <p class="error" data-passkey-error hidden>O dispositivo não respondeu. Tente de novo.</p>
      <button class="button primary" data-passkey="${way}" data-options="${options}" disabled>${label}</button>`,
  );
}
