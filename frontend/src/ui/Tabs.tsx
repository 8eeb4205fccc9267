import { useId, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import './Tabs.css';

interface Tab {
  key: string;
  label: string;
  children: ReactNode;
}

/** Tabs after the ARIA pattern: arrows move between them, the tab key goes into what they show. */
export function Tabs({ label, items }: { label: string; items: readonly Tab[] }) {
  const id = useId();
  const [chosen, setChosen] = useState(0);
  const list = useRef<HTMLDivElement>(null);

  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const next = (chosen + step + items.length) % items.length;
    setChosen(next);
    list.current?.querySelectorAll('button')[next]?.focus();
  };
  return (
    <>
      <div ref={list} role="tablist" aria-label={label} className="tab-list" onKeyDown={onKeyDown}>
        {items.map((item, index) => (
          <button
            key={item.key}
            type="button"
            role="tab"
            id={`${id}-tab-${item.key}`}
            aria-selected={index === chosen}
            aria-controls={`${id}-${item.key}`}
            tabIndex={index === chosen ? 0 : -1}
            onClick={() => setChosen(index)}
          >
            {item.label}
          </button>
        ))}
      </div>
      {items.map((item, index) => (
        <div
          key={item.key}
          role="tabpanel"
          id={`${id}-${item.key}`}
          aria-labelledby={`${id}-tab-${item.key}`}
          hidden={index !== chosen}
        >
          {index === chosen && item.children}
        </div>
      ))}
    </>
  );
}
