import { useEffect, useRef, useState } from 'react';
import type { QuestionSummary } from '@/api/types';
import { ALL } from '@/charts/figures';
import { Logo } from '@/shell/Logo';
import { count } from '@/ui/format';
import { isKey } from '@/ui/keys';
import { Piped } from '@/ui/Piped';
import { Figures } from './Figures';
import { MeansOnWall } from './MeansOnWall';
import { Parts, Several } from './Parts';
import { colorsOf, rangeOf, slidesOf, type Slide } from './slides';
import { Split } from './Split';
import './presenter.css';
import './pictures.css';

export interface Show {
  questions: readonly QuestionSummary[];
  /** The groups of `by`; none without it. */
  groups: readonly { value: string }[];
  attributes: readonly string[];
  /** The number of twins of the run, answered or not. */
  twins: number;
  /** The source of the answers: `demo model`. */
  model: string;
  partial: boolean;
}

/** One question at a time on the wall: guess first, then the answers. No credits, no names. */
export function Presenter({
  show,
  at,
  by,
  onMove,
  onSplit,
  onLeave,
}: {
  show: Show;
  /** 0-based. */
  at: number;
  /** An attribute, or empty. */
  by: string;
  onMove: (at: number) => void;
  onSplit: (by: string) => void;
  onLeave: () => void;
}) {
  const slides = slidesOf(show.questions);
  const place = Math.min(Math.max(0, at), Math.max(0, slides.length - 1));
  const slide = slides[place];
  const [revealed, setRevealed] = useState<ReadonlySet<string>>(new Set());
  const [guesses, setGuesses] = useState<Readonly<Record<string, number>>>({});
  const [chosen, setChosen] = useState<Readonly<Record<string, string>>>({});
  const [blank, setBlank] = useState(false);
  const typed = useRef({ digits: '', at: 0 });

  const key = slide?.key ?? '';
  const shown = revealed.has(key);
  const guessable = slide !== undefined && slide.picture.kind !== 'texts' && slide.picture.kind !== 'means';
  const toggle = () => {
    const next = new Set(revealed);
    if (!next.delete(key)) next.add(key);
    setRevealed(next);
    if (by !== '') onSplit('');
  };
  const setGuess = (value: number) => {
    setGuesses({ ...guesses, [key]: value });
  };
  const move = (step: number) => {
    onMove(Math.min(Math.max(0, place + step), slides.length - 1));
  };
  const nextSplit = () => {
    const splits = ['', ...show.attributes];
    onSplit(splits[(splits.indexOf(by) + 1) % splits.length] ?? '');
    if (!shown) setRevealed(new Set(revealed).add(key));
  };
  /** Digits typed soon after each other are one number. */
  const type = (digit: string, time: number) => {
    if (slide === undefined) return;
    const { max } = rangeOf(slide.picture);
    const before = time - typed.current.at < 1500 ? typed.current.digits : '';
    const digits = Number(before + digit) <= max ? before + digit : digit;
    typed.current = { digits, at: time };
    setGuess(Number(digits));
  };

  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const { key: name, target } = event;
      const onButton = target instanceof HTMLElement && target.closest('button, a') !== null;
      const onSlider = target instanceof HTMLInputElement;
      const turns = !onSlider || name.startsWith('Page');
      if (isKey(event, 'reveal') && !onButton) toggle();
      else if (isKey(event, 'nextSlide') && turns) move(1);
      else if (isKey(event, 'previousSlide') && turns) move(-1);
      else if (isKey(event, 'fullScreen')) fullScreen();
      else if (isKey(event, 'blank')) setBlank((was) => !was);
      else if (isKey(event, 'split')) nextSplit();
      else if (isKey(event, 'leavePresenter')) onLeave();
      else if (/^\d$/.test(name) && guessable && !shown) type(name, event.timeStamp);
      else return;
      event.preventDefault();
    };
    window.addEventListener('keydown', press);
    return () => {
      window.removeEventListener('keydown', press);
    };
  });

  if (blank) {
    return (
      <button
        type="button"
        className="presenter presenter-blank"
        aria-label="Show again"
        onClick={() => {
          setBlank(false);
        }}
      />
    );
  }
  const question = show.questions.find(({ order }) => order === slide?.order);
  return (
    <main className="presenter">
      <header>
        <Logo />
        <p className="presenter-place line muted">
          {show.partial && <span className="presenter-live">Live, partial</span>}
          {slides.length > 0 && `Question ${place + 1} of ${slides.length}`}
          <Place at={place} of={slides.length} />
        </p>
      </header>
      {slide === undefined || question === undefined ? (
        <h1>No answers yet</h1>
      ) : (
        <section className="presenter-slide" aria-live="polite">
          <p className="presenter-lead">{slide.lead === '' ? '\u00a0' : <Piped text={slide.lead} />}</p>
          <h1>
            <Piped text={slide.title} />
          </h1>
          {by !== '' && shown ? (
            <Split {...{ question, slide, by, groups: show.groups, chosen: chosen[key] }} />
          ) : (
            <Picture
              slide={slide}
              twins={show.twins}
              chosen={chosen[key]}
              revealed={shown}
              guess={guesses[key]}
              onGuess={setGuess}
              onChoose={(value) => {
                setChosen({ ...chosen, [key]: value });
              }}
            />
          )}
        </section>
      )}
      <footer>
        <div className="presenter-moves">
          <button
            type="button"
            aria-label="Previous question"
            disabled={place === 0}
            onClick={() => {
              move(-1);
            }}
          >
            ←
          </button>
          <button
            type="button"
            aria-label="Next question"
            disabled={place >= slides.length - 1}
            onClick={() => {
              move(1);
            }}
          >
            →
          </button>
        </div>
        <button type="button" className="presenter-reveal" onClick={toggle}>
          {shown ? 'Hide again' : 'Reveal'}
        </button>
        <Key name="Space" does={shown ? 'Hide again' : 'Reveal'} onClick={toggle} />
        {!shown && guessable && <Key name="0–9" does="Type a guess" />}
        {shown && <Key name="S" does={by === '' ? 'Split by group' : 'Next split'} onClick={nextSplit} />}
        <Key name="F" does="Full screen" onClick={fullScreen} />
        <Key
          name="B"
          does="Blank"
          onClick={() => {
            setBlank(true);
          }}
        />
        <Key name="Esc" does="Leave" onClick={onLeave} />
        <p className="presenter-source">
          Digital Twin Lab · {show.model} · n = {answeredOf(question?.n, show.twins)} twins
        </p>
      </footer>
    </main>
  );
}

/** How many twins answered, of how many where that is not all. */
const answeredOf = (answered: number | undefined, twins: number) =>
  answered === undefined || answered === twins ? count(twins) : `${count(answered)} of ${count(twins)}`;

function Picture({
  slide: { picture },
  ...rest
}: {
  slide: Slide;
  twins: number;
  chosen: string | undefined;
  revealed: boolean;
  guess: number | undefined;
  onGuess: (value: number) => void;
  onChoose: (value: string) => void;
}) {
  switch (picture.kind) {
    case 'parts':
      return <Parts {...picture} colors={colorsOf(picture)} {...rest} />;
    case 'several':
      return <Several {...picture} {...rest} />;
    case 'number':
      return <Figures {...picture} {...rest} />;
    case 'means':
      return rest.revealed ? (
        <MeansOnWall type={picture.type} every={[{ name: ALL, figures: picture.figures }]} />
      ) : (
        <p className="presenter-ask">How would you divide it?</p>
      );
    case 'texts':
      return rest.revealed ? (
        <ul className="presenter-texts list">
          {picture.texts.map((text, place) => (
            <li key={place}>{text}</li>
          ))}
        </ul>
      ) : (
        <p className="presenter-ask">What would you answer?</p>
      );
  }
}

/** A dot per question; for many questions the number alone. */
function Place({ at, of }: { at: number; of: number }) {
  if (of > 20) return null;
  return (
    <span className="presenter-dots" aria-hidden="true">
      {Array.from({ length: of }, (_, each) => (
        <i key={each} className={each === at ? 'now' : each < at ? 'past' : ''} />
      ))}
    </span>
  );
}

/** A key and its action; the words can be clicked too. */
function Key({ name, does, onClick }: { name: string; does: string; onClick?: () => void }) {
  const words = (
    <>
      <kbd>{name}</kbd> {does}
    </>
  );
  return onClick === undefined ? (
    <span className="presenter-key">{words}</span>
  ) : (
    <button type="button" className="presenter-key" onClick={onClick}>
      {words}
    </button>
  );
}

function fullScreen(): void {
  if (document.fullscreenElement === null) void document.documentElement.requestFullscreen();
  else void document.exitFullscreen();
}
