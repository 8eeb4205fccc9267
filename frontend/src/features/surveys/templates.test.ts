import { describe, expect, it } from 'vitest';
import { templates } from './templates';

describe.each(templates.map((template) => [template.key, template] as const))(
  'the template %s',
  (_, template) => {
    it('cites its source by a DOI', () => {
      expect(template.citation).toMatch(/\((19|20)\d\d\)/);
      expect(template.doi).toMatch(/^10\.\d{4,}\/\S+$/);
    });

    it('has questions that the API takes', () => {
      for (const {
        text,
        type,
        options,
        scale_labels,
        sub_questions,
        min_value,
        max_value,
      } of template.versions.flatMap(({ questions }) => questions)) {
        expect(text.trim()).not.toBe('');
        for (const texts of [options, scale_labels, sub_questions]) {
          expect(new Set(texts ?? []).size).toBe(texts?.length ?? 0);
        }
        if (type === 'SINGLE_CHOICE') expect(options?.length).toBeGreaterThanOrEqual(2);
        if (type === 'SLIDER') expect(Number(min_value)).toBeLessThan(Number(max_value));
        if (type === 'MATRIX') expect(scale_labels?.length).toBeGreaterThanOrEqual(2);
      }
    });
  },
);

it('there are eight, each under a key of its own', () => {
  expect(new Set(templates.map(({ key }) => key)).size).toBe(8);
});

it('the frames of the disease problem describe the same outcomes', () => {
  const [saved, lost] = templates.find(({ key }) => key === 'framing')?.versions ?? [];
  expect(saved?.questions[0]?.text).toContain('200 people will be saved');
  expect(lost?.questions[0]?.text).toContain('400 people will die');
});

it('the personality items are four for each of five factors', () => {
  expect(
    templates.find(({ key }) => key === 'big-five')?.versions[0]?.questions[0]?.sub_questions,
  ).toHaveLength(20);
});
