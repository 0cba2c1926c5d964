/** Fields of days: the browser's own calendar beside each, and a word on days that don't exist. */

const names = { date: 'Escolher o dia', 'datetime-local': 'Escolher o dia e a hora' };
const wrong = {
  date: 'Escreva um dia que exista: dd/mm/aaaa.',
  'datetime-local': 'Escreva um dia que exista e a hora: dd/mm/aaaa hh:mm.',
};

/** The browser's own field would show the day as the browser's language writes it, so it only lends its calendar. */
export function offerCalendar(field) {
  const { calendar } = field.dataset;
  const picker = Object.assign(document.createElement('input'), { type: calendar, tabIndex: -1 });
  picker.className = 'picker';
  picker.setAttribute('aria-hidden', 'true');
  const isDay = (text) => {
    picker.value = toIso(text);
    return picker.value !== '';
  };
  field.addEventListener('input', () => {
    const { value } = field;
    field.setCustomValidity(value === '' || isDay(value) ? '' : wrong[calendar]);
  });
  if (!picker.showPicker) return;
  const button = Object.assign(document.createElement('button'), {
    type: 'button',
    className: 'calendar-button',
  });
  button.setAttribute('aria-label', names[calendar]);
  button.addEventListener('click', () => {
    isDay(field.value);
    picker.showPicker();
  });
  picker.addEventListener('input', () => {
    field.value = toBrazilian(picker.value);
    field.setCustomValidity('');
  });
  field.after(picker, button);
}

/** `1/2/2026 8:30` as `2026-02-01T08:30`; empty for another form. */
function toIso(text) {
  const [, day, month, year, hour, minute] =
    /^(\d{1,2})\/(\d{1,2})\/(\d{4})(?: +(\d{1,2}):(\d{2}))?$/.exec(text.trim()) ?? [];
  if (!year) return '';
  const time = hour ? `T${hour.padStart(2, '0')}:${minute}` : '';
  return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}${time}`;
}

function toBrazilian(iso) {
  const [day, time] = iso.split('T');
  return [day.split('-').reverse().join('/'), time?.slice(0, 5)].filter(Boolean).join(' ');
}
