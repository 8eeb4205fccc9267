import { useState } from 'react';
import { Popover } from 'antd';

/** Words of the product that not everybody knows, in a sentence or two. */
const terms = {
  twins: {
    question: 'What are digital twins?',
    text: 'Personas that a language model answers for: it reads the profile of one person and answers as that person. A twin is not the person, and may answer differently.',
  },
  requests: {
    question: 'What are requests?',
    text: 'A request is one question to one digital twin: 100 twins and 5 questions make 500 requests. One call to the model can carry several.',
  },
  required: {
    question: 'What is a required question?',
    text: 'One that people may not skip. It is marked in the preview and in the survey’s file. Digital twins answer every question, required or not.',
  },
  credits: {
    question: 'What are credits?',
    text: 'One credit pays for one digital twin’s answer to one question. Failed requests cost nothing; what a stopped run has not used comes back.',
  },
  seed: {
    question: 'What is a seed?',
    text: 'A number that chance starts from. With the same seed, the same twins are drawn and options are shuffled alike, so that somebody else can repeat the run.',
  },
  questionsPerCall: {
    question: 'What are questions per call?',
    text: 'How many questions a twin is asked in one call to the model. More are cheaper; with fewer, answers lean less on each other. 1 asks each question alone.',
  },
  personaText: {
    question: 'What is the profile text?',
    text: 'The text about a twin that the model reads. The summary is short; the full text holds all that is known of the person, costs more tokens and takes longer. A run with the demographics alone, or with nothing, shows what the profile adds.',
  },
  batch: {
    question: 'What is half price, within a day?',
    text: 'The calls go to the model server together, by its Batch API: most servers take half the price for that and answer within 24 hours, often sooner. The prompts and checks are the same. A survey whose questions depend on answers takes several batches, one after the other.',
  },
  interval: {
    question: 'What is a 95 % CI?',
    text: 'The confidence interval. If as many twins were drawn many times, 95 of 100 such intervals would hold the value of all twins. It says nothing about how well twins represent people.',
  },
} as const;

export type Term = keyof typeof terms;

/** A question mark that explains a term in place. */
export function Help({ term }: { term: Term }) {
  const [open, setOpen] = useState(false);
  const { question, text } = terms[term];
  return (
    <Popover
      trigger="click"
      open={open}
      onOpenChange={setOpen}
      content={
        <p className="help-text" role="status">
          {text}
        </p>
      }
    >
      <button
        type="button"
        className="help screen-only"
        aria-label={question}
        aria-expanded={open}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || !open) return;
          // The dialog around stays.
          event.stopPropagation();
          setOpen(false);
        }}
        onBlur={() => setOpen(false)}
      >
        ?
      </button>
    </Popover>
  );
}
