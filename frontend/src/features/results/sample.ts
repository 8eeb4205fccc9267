import type { MatrixRow, Question } from '@/api/types';
import { hasOptions, isChoice, isMatrix, isScale } from '@/question-types/questionTypes';
import { plainText } from '@/ui/piped';
import type { ListRow } from './ListView';

/** Personas of the sample. */
const PERSONAS = 5;

/** Invented answers for a run that has none; the page says that they are invented. */
export function sampleRows(questions: readonly Question[]): MatrixRow[] {
  return Array.from({ length: PERSONAS }, (_, index) => ({
    personaId: index + 1,
    personaPid: '',
    personaName: `Sample ${index + 1}`,
    attributes: {},
    answers: questions.map((question) => {
      const answer = sampleAnswer(question);
      return { questionId: question.id, status: 'answered', answer, answerValue: answer };
    }),
  }));
}

/** The same answers one by one. */
export function listed(rows: readonly MatrixRow[], questions: readonly Question[]): ListRow[] {
  return rows.flatMap(({ personaId, personaName, answers }) =>
    questions.map((question, index) => ({
      personaId,
      personaName,
      questionId: question.id,
      questionText: plainText(question.text),
      questionType: question.questionType,
      availableOptions: question.options.map(({ text }) => text),
      answer: answers[index]?.answer ?? null,
    })),
  );
}

function sampleAnswer(question: Question): string {
  const { questionType: type, options, scale_labels: labels, subQuestions, minValue, maxValue } = question;
  if (isChoice(type)) return pick(options.map(({ text }) => text));
  const texts = options.map(({ text }) => text);
  if (type === 'CONSTANT_SUM') {
    const total = question.total ?? 100;
    const favourite = pick(texts);
    return texts.map((text) => `${text}: ${text === favourite ? total : 0}`).join(' | ');
  }
  if (type === 'BEST_WORST') {
    const best = pick(texts);
    return `Best: ${best} | Worst: ${pick(texts.filter((text) => text !== best))}`;
  }
  if (hasOptions(type)) {
    const start = Math.floor(Math.random() * texts.length);
    const turned = [...texts.slice(start), ...texts.slice(0, start)];
    return turned.map((text, rank) => `${rank + 1}: ${text}`).join(' | ');
  }
  if (isMatrix(type)) {
    return (subQuestions.length === 0 ? [''] : subQuestions)
      .map((_, row) => `Q${row + 1}: ${pick(labels)}`)
      .join(' | ');
  }
  if (isScale(type) || type === 'NUMBER') {
    const [low, high] = [minValue ?? 0, maxValue ?? 100];
    return String(Math.round(low + Math.random() * (high - low)));
  }
  return type === 'BOOLEAN' ? pick(['Yes', 'No']) : 'Sample answer';
}

function pick(items: readonly string[]): string {
  return items[Math.floor(Math.random() * items.length)] ?? '';
}
