/** The key that goes with another one for a command. */
export const MOD = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl';

/** The part of the product in which a key works. */
export type KeyArea =
  'Everywhere' | 'Lists' | 'Dialogs' | 'Survey' | 'Question card' | 'Open question' | 'Presenter';

interface Binding {
  area: KeyArea;
  /** `mod+shift+z`: the name of a key as events have it, and what is held with it. `mod` is Ctrl or ⌘. */
  chords: readonly string[];
  what: string;
}

/** Every key of the product. Handlers ask {@link isKey}; the list of keys shows this table. */
export const keys = {
  palette: { area: 'Everywhere', chords: ['mod+k'], what: 'Go to a page, survey, run or group' },
  keyList: { area: 'Everywhere', chords: ['?'], what: 'Show this list' },
  nextRow: { area: 'Lists', chords: ['j'], what: 'Next row' },
  previousRow: { area: 'Lists', chords: ['k'], what: 'Previous row' },
  openRow: { area: 'Lists', chords: ['Enter'], what: 'Open the row' },
  confirm: { area: 'Dialogs', chords: ['mod+Enter'], what: 'Press the main button' },
  close: { area: 'Dialogs', chords: ['Escape'], what: 'Close' },
  newQuestion: { area: 'Survey', chords: ['n'], what: 'New question' },
  undo: { area: 'Survey', chords: ['mod+z'], what: 'Undo' },
  redo: { area: 'Survey', chords: ['mod+shift+z', 'mod+y'], what: 'Redo' },
  nextCard: { area: 'Question card', chords: ['ArrowDown', 'j'], what: 'Next card' },
  previousCard: { area: 'Question card', chords: ['ArrowUp', 'k'], what: 'Previous card' },
  insertQuestion: { area: 'Question card', chords: ['a'], what: 'Insert a question below' },
  moveCardUp: { area: 'Question card', chords: ['alt+ArrowUp'], what: 'Move up' },
  moveCardDown: { area: 'Question card', chords: ['alt+ArrowDown'], what: 'Move down' },
  duplicateQuestion: { area: 'Question card', chords: ['mod+d'], what: 'Duplicate' },
  deleteQuestion: { area: 'Question card', chords: ['Delete'], what: 'Delete, with Undo' },
  questionDone: { area: 'Open question', chords: ['mod+Enter'], what: 'Done' },
  closeQuestion: { area: 'Open question', chords: ['Escape'], what: 'Close' },
  nextItem: { area: 'Open question', chords: ['Enter'], what: 'Next option' },
  removeItem: { area: 'Open question', chords: ['Backspace'], what: 'Remove an empty option' },
  moveItemUp: { area: 'Open question', chords: ['alt+ArrowUp'], what: 'Move the option up' },
  moveItemDown: { area: 'Open question', chords: ['alt+ArrowDown'], what: 'Move the option down' },
  reveal: { area: 'Presenter', chords: [' '], what: 'Reveal or hide the answers' },
  nextSlide: { area: 'Presenter', chords: ['ArrowRight', 'PageDown'], what: 'Next question' },
  previousSlide: { area: 'Presenter', chords: ['ArrowLeft', 'PageUp'], what: 'Previous question' },
  split: { area: 'Presenter', chords: ['s'], what: 'Split by the next attribute' },
  fullScreen: { area: 'Presenter', chords: ['f'], what: 'Full screen' },
  blank: { area: 'Presenter', chords: ['b', '.'], what: 'Blank screen' },
  leavePresenter: { area: 'Presenter', chords: ['Escape'], what: 'Leave' },
} as const satisfies Record<string, Binding>;

export type KeyName = keyof typeof keys;

type Pressed = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>;

/** Whether a key that was pressed is one of the table. */
export function isKey(event: Pressed, name: KeyName): boolean {
  return keys[name].chords.some((chord) => {
    const held = chord.split('+');
    const key = held.pop() ?? '';
    // How signs are typed differs between keyboards.
    const shift = /^[^a-z]$/i.test(key) ? event.shiftKey : held.includes('shift');
    return (
      event.key.toLowerCase() === key.toLowerCase() &&
      (event.ctrlKey || event.metaKey) === held.includes('mod') &&
      event.altKey === held.includes('alt') &&
      event.shiftKey === shift
    );
  });
}

const shown: Partial<Record<string, string>> = {
  mod: MOD,
  ' ': 'Space',
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
  Escape: 'Esc',
  Delete: 'Del',
  PageUp: 'Page ↑',
  PageDown: 'Page ↓',
};

/** `Ctrl Shift Z`, as it is read on a keyboard. */
export function chordText(chord: string): string {
  return chord
    .split('+')
    .map((key) => shown[key] ?? key.charAt(0).toUpperCase() + key.slice(1))
    .join(' ');
}

/** Whether a key belongs to what has the focus: a field that is typed in, a list or a menu that is chosen from. */
export function isTaken({ defaultPrevented, target }: KeyboardEvent): boolean {
  if (defaultPrevented || !(target instanceof Element)) return true;
  const field = target.closest('input, textarea, select, [contenteditable], [role=listbox], [role=menu]');
  return field !== null && !(field instanceof HTMLInputElement && ['checkbox', 'radio'].includes(field.type));
}

/** The dialog that is open, the topmost of several. */
export const openDialog = (): Element | undefined =>
  [...document.querySelectorAll('.ant-modal-wrap, .ant-drawer-content')]
    .filter((dialog) => (dialog as HTMLElement).style.display !== 'none')
    .at(-1);
