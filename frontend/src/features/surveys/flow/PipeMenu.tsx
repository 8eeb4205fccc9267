import { useEffect, useId, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { pipesOf, type Names, type Pipe } from './names';

type Field = HTMLInputElement | HTMLTextAreaElement;

interface Typing {
  field: Field;
  /** The start of the name, behind the braces. */
  from: number;
  to: number;
  typed: string;
}

/** Names that the list shows at once. */
const MOST = 50;

/** Opens a list of pipes when `{{` is typed into a field inside. */
export function PipeMenu({ names, self, children }: { names: Names; self?: string; children: ReactNode }) {
  const id = useId();
  const [typing, setTyping] = useState<Typing | null>(null);
  const [active, setActive] = useState(0);
  const list = useRef<HTMLUListElement>(null);
  const words = typing?.typed.trim().toLowerCase() ?? '';
  const offered =
    typing === null
      ? []
      : pipesOf(names, self)
          .map((pipe) => ({ pipe, rank: rankOf(pipe, words) }))
          .filter(({ rank }) => rank < 3)
          .sort((a, b) => a.rank - b.rank)
          .map(({ pipe }) => pipe)
          .slice(0, MOST);
  const chosen = offered[Math.min(active, offered.length - 1)];
  const field = typing?.field;
  const isOpen = chosen !== undefined;

  // A screen reader follows the list from the field.
  useEffect(() => {
    if (field === undefined || !isOpen) return;
    field.setAttribute('aria-controls', id);
    field.setAttribute('aria-activedescendant', `${id}-${active}`);
    list.current?.querySelector(`[aria-selected=true]`)?.scrollIntoView({ block: 'nearest' });
    return () => {
      field.removeAttribute('aria-controls');
      field.removeAttribute('aria-activedescendant');
    };
  }, [field, isOpen, id, active]);

  const look = (target: EventTarget) => {
    const next = typingIn(target);
    setTyping(next);
    if (next?.typed !== typing?.typed) setActive(0);
  };
  const take = ({ name }: Pipe) => {
    if (typing === null) return;
    const { field, from, to } = typing;
    const closed = field.value.startsWith('}}', to);
    write(
      field,
      `${field.value.slice(0, from)}${name}${closed ? '' : '}}'}${field.value.slice(to)}`,
      from + name.length + 2,
    );
    setTyping(null);
  };
  const press = (event: KeyboardEvent) => {
    if (!isOpen || event.nativeEvent.isComposing) return;
    if (event.key === 'ArrowDown') setActive((active + 1) % offered.length);
    else if (event.key === 'ArrowUp') setActive((active + offered.length - 1) % offered.length);
    else if (event.key === 'Enter' || event.key === 'Tab') take(chosen);
    else if (event.key === 'Escape') setTyping(null);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div
      className="pipes"
      onInput={(event) => look(event.target)}
      onClick={(event) => look(event.target)}
      onBlur={() => setTyping(null)}
      // Before the field's own keys: Enter would add the next option.
      onKeyDownCapture={press}
    >
      {children}
      {isOpen && field !== undefined && (
        <ul
          ref={list}
          id={id}
          role="listbox"
          tabIndex={0}
          aria-label="What can be inserted"
          className="pipe-list"
          style={beside(field)}
          // The field keeps the focus.
          onMouseDown={(event) => event.preventDefault()}
        >
          {offered.map((pipe, index) => (
            <li
              key={pipe.name}
              id={`${id}-${index}`}
              role="option"
              aria-selected={pipe === chosen}
              onClick={(event) => {
                event.stopPropagation();
                take(pipe);
              }}
            >
              <code>{pipe.name}</code> <span className="truncate muted small">{pipe.what}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** Names that begin with what is typed come first, then those that hold it, then what they stand for; 3: none. */
function rankOf({ name, what }: Pipe, words: string): number {
  const lower = name.toLowerCase();
  if (lower.startsWith(words) || lower.slice(lower.indexOf(':') + 1).startsWith(words)) return 0;
  if (lower.includes(words)) return 1;
  return what.toLowerCase().includes(words) ? 2 : 3;
}

/** The text that is typed behind two open braces; `null` elsewhere. */
function typingIn(target: EventTarget): Typing | null {
  const isField =
    target instanceof HTMLTextAreaElement || (target instanceof HTMLInputElement && target.type === 'text');
  if (!isField || target.closest('.ant-select') !== null || target.selectionStart === null) return null;
  const to = target.selectionStart;
  const found = /(?<!\\)\{\{([^{}\n]*)$/.exec(target.value.slice(0, to));
  const typed = found?.[1];
  return typed === undefined ? null : { field: target, from: to - typed.length, to, typed };
}

/** Writes into a field as if it was typed, so that React hears of it. */
function write(field: Field, text: string, caret: number): void {
  const prototype =
    field instanceof HTMLTextAreaElement ? HTMLTextAreaElement.prototype : HTMLInputElement.prototype;
  Object.getOwnPropertyDescriptor(prototype, 'value')?.set?.call(field, text);
  field.dispatchEvent(new Event('input', { bubbles: true }));
  field.setSelectionRange(caret, caret);
}

/** The largest height of the list, in pixels. */
const HIGHEST = 256;

/** Below a field, or above it where the window ends. */
function beside(field: Field): React.CSSProperties {
  const { left, top, bottom, width } = field.getBoundingClientRect();
  const fits = bottom + HIGHEST < window.innerHeight || top < HIGHEST;
  return {
    left: Math.max(8, left),
    minWidth: Math.min(width, 320),
    ...(fits ? { top: bottom + 4 } : { bottom: window.innerHeight - top + 4 }),
  };
}
