import type { Question, SimulationResponse } from '@/api/types';
import { isChoice, isScale } from '@/ui/questionTypes';

const PERSONAS = 5;

/** Invented answers of five personas, for a run that has none of its own. Always shown as invented. */
export function sampleResponses(questions: readonly Question[], surveyTitle: string): SimulationResponse[] {
  return Array.from({ length: PERSONAS }, (_, index) => index + 1).flatMap((personaId) =>
    questions.map((question) => {
      const answer = sampleAnswer(question);
      return {
        id: personaId * 100_000 + question.id,
        simulationId: '',
        personaId,
        personaName: `Sample ${personaId}`,
        questionId: question.id,
        questionText: question.text,
        questionType: question.questionType,
        availableOptions: question.options.map(({ text }) => text),
        answer,
        answerValue: answer,
        surveyTitle,
        created_at: '',
      };
    }),
  );
}

function sampleAnswer(question: Question): string {
  const { questionType: type, options, scale_labels: labels, subQuestions, minValue, maxValue } = question;
  if (isChoice(type)) return pick(options.map(({ text }) => text));
  if (type === 'MATRIX') {
    return (subQuestions.length === 0 ? [''] : subQuestions)
      .map((_, i) => `Q${i + 1}: ${pick(labels)}`)
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
