const key = 'docs-token';

/** Keeps the token in this browser tab. */
export function keepToken() {
  const form = document.querySelector('#token-form');
  const input = document.querySelector('#token');
  if (!form || !input) return;
  form.hidden = false;
  input.value ||= sessionStorage.getItem(key) ?? '';
  input.addEventListener('change', () => sessionStorage.setItem(key, input.value.trim()));
  form.addEventListener('submit', (event) => event.preventDefault());
}
