import { Dialog } from '@/ui/antd/Dialog';

/** One twin's answers at full length. */
export interface Reading {
  title: string;
  answers: readonly { question: string; answer: string }[];
}

export default function AnswersDialog({ reading, onClose }: { reading: Reading; onClose: () => void }) {
  return (
    <Dialog title={reading.title} onClose={onClose} size="lg">
      {/* Taller than the window it scrolls, for which it needs the focus. */}
      <dl className="reading" tabIndex={0}>
        {reading.answers.map(({ question, answer }, index) => (
          <div key={index}>
            <dt>{question}</dt>
            <dd>{answer}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
