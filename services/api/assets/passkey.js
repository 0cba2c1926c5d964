/** Asks the device for a passkey, and posts its answer with the button's form. */
export function offerPasskey(button) {
  button.addEventListener('click', async (event) => {
    event.preventDefault();
    const { form, dataset } = button;
    const complaint = form.querySelector('[data-passkey-error]');
    complaint.hidden = true;
    try {
      const credential = await ask(dataset.passkey, JSON.parse(dataset.options));
      form.elements.answer.value = JSON.stringify(credential);
      form.submit();
    } catch {
      complaint.hidden = false;
    }
  });
  // Before, a click would post the form without an answer.
  button.disabled = false;
}

function ask(way, options) {
  if (way === 'create')
    return navigator.credentials.create({
      publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options),
    });
  return navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) });
}
